import type { Environment, Level } from "../../metadata/mod.ts";
import type { Json } from "../../types/mod.ts";
import { isoTime } from "../http/reply.ts";
import { SETTINGS } from "./fields.ts";

const MEMBERSHIP_LEVELS: Record<Level, number> = { member: 1, admin: 8, owner: 15 };

/** The value of a setting of this environment. */
export function settingOf(environment: Environment, name: string): Json {
  return environment.settings[name] ?? SETTINGS[name]?.default ?? null;
}

/** What every form of an environment begins with. */
function identityOf(environment: Environment) {
  return {
    id: environment.id,
    uuid: environment.uuid,
    organization: environment.organizationId,
    project_id: environment.projectId,
    api_token: environment.apiToken,
    name: environment.name,
  };
}

/** The whole object of the API. */
export function environmentBody(environment: Environment, o: { level: Level; hasEvents: boolean }) {
  const settings = Object.keys(SETTINGS).map((name) => [name, settingOf(environment, name)]);
  return {
    ...identityOf(environment),
    created_at: isoTime(environment.createdAtMs),
    updated_at: isoTime(environment.updatedAtMs),
    timezone: environment.timezone,
    week_start_day: environment.weekStartDay,
    ...Object.fromEntries(settings),
    ingested_event: o.hasEvents,
    effective_membership_level: MEMBERSHIP_LEVELS[o.level],
    has_group_types: false,
    person_on_events_querying_enabled: true,
    default_modifiers: {},
    live_events_token: null,
    product_intents: [],
    user_access_level: "admin",
    access_control_version: "v1",
  };
}

/** The short form in lists. */
export function basicEnvironmentBody(environment: Environment, hasEvents: boolean) {
  return {
    ...identityOf(environment),
    completed_snippet_onboarding: settingOf(environment, "completed_snippet_onboarding"),
    has_completed_onboarding_for: settingOf(environment, "has_completed_onboarding_for"),
    ingested_event: hasEvents,
    is_demo: settingOf(environment, "is_demo"),
    timezone: environment.timezone,
    access_control: settingOf(environment, "access_control"),
  };
}
