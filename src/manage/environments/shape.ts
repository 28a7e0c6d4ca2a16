import { Type } from "@sinclair/typebox";
import {
  type ControlledKind,
  type Environment,
  environmentsWithEvents,
  type GroupType,
  type Level,
  listGroupTypes,
  listProductIntents,
  OBJECT_LEVELS,
  type ObjectLevel,
  type ProductIntent,
} from "../../metadata/mod.ts";
import { anyObject, integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { GROUP_TYPE } from "../groups/shape.ts";
import { shownFields, shownOf } from "../http/fields.ts";
import { always, type Members, shape } from "../resource/shape.ts";
import { levelIn, makingLevels } from "../serve/access.ts";
import { memberLevel } from "../serve/guard.ts";
import type { Caller } from "../serve/route.ts";
import { ENVIRONMENT_FIELDS, SETTINGS, settingOf } from "../settings/fields.ts";

export const MEMBERSHIP_LEVELS: Record<Level, number> = { member: 1, admin: 8, owner: 15 };

/** What every form of an environment begins with. */
const IDENTITY: Members<Environment, unknown> = {
  id: integer(),
  uuid: UUID,
  organization: [UUID, ({ organizationId }) => organizationId],
  project_id: integer(),
  api_token: text("The project key, with which events are sent."),
  name: text(),
};

const setting = (name: string) =>
  [shownOf(SETTINGS[name]!.field), (environment: Environment) => settingOf(environment, name)] as const;

/** An environment, or a project, in lists. */
export const BASIC_ENVIRONMENT = shape<Environment, { withEvents: ReadonlySet<number> }>("BasicEnvironment", {
  ...IDENTITY,
  completed_snippet_onboarding: setting("completed_snippet_onboarding"),
  has_completed_onboarding_for: setting("has_completed_onboarding_for"),
  ingested_event: [Type.Boolean(), ({ id }, { withEvents }) => withEvents.has(id)],
  is_demo: setting("is_demo"),
  timezone: text("IANA name."),
  access_control: setting("access_control"),
});

export const PRODUCT_INTENT = shape<ProductIntent>("ProductIntent", {
  product_type: text(),
  created_at: TIME,
  onboarding_completed_at: nullable(TIME),
  updated_at: TIME,
});

interface Around {
  caller: Caller;
  withEvents: ReadonlySet<number>;
  groupTypes: readonly GroupType[];
  intents: readonly ProductIntent[];
  levels: Readonly<Record<ControlledKind, ObjectLevel>>;
}

const { name: _, ...COLUMNS } = shownFields(ENVIRONMENT_FIELDS);

const LEVEL = oneOf(OBJECT_LEVELS);
/** What the caller may do with what others make; to make one needs `editor`. */
const RESOURCE_LEVELS = object("ResourceAccessLevels", {
  insight: LEVEL,
  dashboard: LEVEL,
  cohort: LEVEL,
  action: LEVEL,
} satisfies Record<ControlledKind, typeof LEVEL>);

/** An environment; also a project, which is shown as its first one. */
export const ENVIRONMENT = shape<Environment, Around>("Environment", {
  ...IDENTITY,
  created_at: TIME,
  updated_at: TIME,
  ...COLUMNS,
  ...Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, setting(name)])),
  ingested_event: [Type.Boolean(), ({ id }, { withEvents }) => withEvents.has(id)],
  effective_membership_level: [
    oneOf([1, 8, 15]),
    (environment, { caller }) => MEMBERSHIP_LEVELS[memberLevel(caller, environment)],
  ],
  has_group_types: [Type.Boolean(), (_, { groupTypes }) => groupTypes.length > 0],
  group_types: [
    Type.Array(GROUP_TYPE.schema),
    (_, { groupTypes }) => groupTypes.map((one) => GROUP_TYPE.show(one, null)),
  ],
  secret_api_token: always(null),
  secret_api_token_backup: always(null),
  person_on_events_querying_enabled: always(true),
  default_modifiers: [anyObject(), () => ({})],
  live_events_token: always(null),
  product_intents: [
    Type.Array(PRODUCT_INTENT.schema),
    (_, { intents }) => intents.map((one) => PRODUCT_INTENT.show(one, null)),
  ],
  user_access_level: [text(), ({ id }, { caller }) => levelIn(caller, id)],
  resource_access_levels: [RESOURCE_LEVELS, (_, { levels }) => levels],
  access_control_version: [text(), () => "v1"],
});

export const DEMO_STATE = object("DemoState", { is_generating_demo_data: Type.Boolean() });
export const ONBOARDING_ERROR = object("OnboardingError", { error: text() });

/** The whole object of the API, as a caller sees it. */
export async function readEnvironmentBody(tx: Tx, environment: Environment, caller: Caller) {
  return ENVIRONMENT.show(environment, {
    caller,
    withEvents: await environmentsWithEvents(tx, [environment.id]),
    groupTypes: await listGroupTypes(tx, environment.id),
    intents: await listProductIntents(tx, environment.id),
    levels: await makingLevels(tx, caller, environment.id),
  });
}

/** The short form in lists. */
export async function readBasicBodies(tx: Tx, environments: readonly Environment[]) {
  const ids = environments.map(({ id }) => id);
  const withEvents = await environmentsWithEvents(tx, ids);
  return environments.map((environment) => BASIC_ENVIRONMENT.show(environment, { withEvents }));
}
