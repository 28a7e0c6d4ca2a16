import { Type } from "@sinclair/typebox";
import { anyObject, integer, nullable, object, oneOf, TIME, text, UUID } from "../../openapi/mod.ts";
import { GROUP_TYPE } from "../groups/schema.ts";
import { shownFields, shownOf } from "../http/fields.ts";
import { ENVIRONMENT_FIELDS, SETTING_FIELDS, SETTINGS } from "../settings/fields.ts";

const settingShown = (name: string) => shownOf(SETTINGS[name]!.field);

const IDENTITY = {
  id: integer(),
  uuid: UUID,
  organization: UUID,
  project_id: integer(),
  api_token: text("The project key, with which events are sent."),
  name: text(),
};

/** An environment, or a project, in lists. */
export const BASIC_ENVIRONMENT = object("BasicEnvironment", {
  ...IDENTITY,
  completed_snippet_onboarding: settingShown("completed_snippet_onboarding"),
  has_completed_onboarding_for: settingShown("has_completed_onboarding_for"),
  ingested_event: Type.Boolean(),
  is_demo: settingShown("is_demo"),
  timezone: text("IANA name."),
  access_control: settingShown("access_control"),
});

const PRODUCT_INTENT = object("ProductIntent", {
  product_type: text(),
  created_at: TIME,
  onboarding_completed_at: nullable(TIME),
  updated_at: TIME,
});

/** An environment; also a project, which is shown as its first one. */
export const ENVIRONMENT = object("Environment", {
  ...shownFields(ENVIRONMENT_FIELDS),
  ...shownFields(SETTING_FIELDS),
  ...IDENTITY,
  created_at: TIME,
  updated_at: TIME,
  ingested_event: Type.Boolean(),
  effective_membership_level: oneOf([1, 8, 15]),
  has_group_types: Type.Boolean(),
  group_types: Type.Array(GROUP_TYPE),
  secret_api_token: Type.Null(),
  secret_api_token_backup: Type.Null(),
  person_on_events_querying_enabled: Type.Literal(true),
  default_modifiers: anyObject(),
  live_events_token: Type.Null(),
  product_intents: Type.Array(PRODUCT_INTENT),
  user_access_level: text(),
  access_control_version: text(),
});

export const DEMO_STATE = object("DemoState", { is_generating_demo_data: Type.Boolean() });
export const ONBOARDING_ERROR = object("OnboardingError", { error: text() });
