import {
  type Environment,
  type EnvironmentLevel,
  environmentsWithEvents,
  type Level,
  listGroupTypes,
  listProductIntents,
  type ProductIntent,
} from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Json } from "../../types/mod.ts";
import { groupTypeBody } from "../groups/body.ts";
import { isoTime } from "../http/reply.ts";
import { SETTINGS, settingOf } from "../settings/fields.ts";

export const MEMBERSHIP_LEVELS: Record<Level, number> = { member: 1, admin: 8, owner: 15 };

/** All that a client can change of it, by API name. */
export function writableOf(environment: Environment): Record<string, Json> {
  const settings = Object.keys(SETTINGS).map((name) => [name, settingOf(environment, name)]);
  return {
    name: environment.name,
    timezone: environment.timezone,
    week_start_day: environment.weekStartDay,
    ...Object.fromEntries(settings),
  };
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

/** The whole object of the API, as a caller of this level in it sees it. */
export async function readEnvironmentBody(tx: Tx, environment: Environment, { level }: { level: Level }) {
  const hasEvents = (await environmentsWithEvents(tx, [environment.id])).has(environment.id);
  const groupTypes = await listGroupTypes(tx, environment.id);
  return {
    ...identityOf(environment),
    created_at: isoTime(environment.createdAtMs),
    updated_at: isoTime(environment.updatedAtMs),
    ...writableOf(environment),
    ingested_event: hasEvents,
    effective_membership_level: MEMBERSHIP_LEVELS[level],
    has_group_types: groupTypes.length > 0,
    group_types: groupTypes.map(groupTypeBody),
    secret_api_token: null,
    secret_api_token_backup: null,
    person_on_events_querying_enabled: true,
    default_modifiers: {},
    live_events_token: null,
    product_intents: (await listProductIntents(tx, environment.id)).map(intentBody),
    user_access_level: environmentLevel(level),
    access_control_version: "v1",
  };
}

/** What a caller of this level may do in an environment, as its `access_controls` call it. */
export function environmentLevel(level: Level): EnvironmentLevel {
  return level === "member" ? "member" : "admin";
}

export function intentBody(intent: ProductIntent) {
  return {
    product_type: intent.productType,
    created_at: isoTime(intent.createdAtMs),
    onboarding_completed_at: isoTime(intent.onboardingCompletedAtMs),
    updated_at: isoTime(intent.updatedAtMs),
  };
}

/** The short form in lists. */
export async function readBasicBodies(tx: Tx, environments: readonly Environment[]) {
  const withEvents = await environmentsWithEvents(
    tx,
    environments.map((environment) => environment.id),
  );
  return environments.map((environment) => ({
    ...identityOf(environment),
    completed_snippet_onboarding: settingOf(environment, "completed_snippet_onboarding"),
    has_completed_onboarding_for: settingOf(environment, "has_completed_onboarding_for"),
    ingested_event: withEvents.has(environment.id),
    is_demo: settingOf(environment, "is_demo"),
    timezone: environment.timezone,
    access_control: settingOf(environment, "access_control"),
  }));
}
