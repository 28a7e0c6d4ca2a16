import { Type } from "@sinclair/typebox";
import type { Environment } from "../../metadata/mod.ts";
import { oneOf } from "../../openapi/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { anyJson, list, object } from "../http/compound.ts";
import { boolean, choice, decimal, type Field, FieldError, integer, isObject, nullable, text } from "../http/fields.ts";
import { pathCleaningFilters, propertyFilters } from "./filterFields.ts";

/** A writable field that lives in the environment's `settings`. */
interface Setting {
  field: Field<Json>;
  /** What an environment has that never set it. */
  default: Json;
  /** How a new value is joined to the present one; replaces it when absent. */
  merge?: (present: Json, value: Json) => Json;
}

const setting = (field: Field<Json>, initial: Json, merge?: Setting["merge"]): Setting => ({
  field,
  default: initial,
  merge,
});
const flag = (initial: boolean) => setting(boolean(), initial);
const optionalFlag = (initial: boolean | null = null) => setting(nullable(boolean()), initial);
const optionalJson = (initial: Json = null) => setting(nullable(anyJson()), initial);
const optionalList = (item: Field<Json>) => setting(nullable(list(item)), null);

/** Keys of both objects, the new value's winning; null clears. */
function mergeTop(present: Json, value: Json): Json {
  return isObject(present) && isObject(value) ? { ...present, ...value } : value;
}

function mergeReplayConfig(present: Json, value: Json): Json {
  const merged = mergeTop(present, value);
  if (!isObject(merged) || !isObject(present) || !isObject(value)) return merged;
  return isObject(present.ai_config) && isObject(value.ai_config)
    ? { ...merged, ai_config: { ...present.ai_config, ...value.ai_config } }
    : merged;
}

const AI_CONFIG_KEYS = [
  "included_event_properties",
  "opt_in",
  "preferred_events",
  "excluded_events",
  "important_user_properties",
];

function replayConfig(): Field<JsonObject> {
  const outer = object({ keys: ["record_canvas", "ai_config"] });
  const inner = nullable(object({ keys: AI_CONFIG_KEYS }));
  return {
    schema: Type.Object(
      { record_canvas: Type.Optional(Type.Unknown()), ai_config: Type.Optional(inner.schema) },
      { additionalProperties: false },
    ),
    read(value) {
      const config = outer.read(value);
      if (config.ai_config !== undefined) inner.read(config.ai_config);
      return config;
    },
  };
}

function linkedFlag(): Field<JsonObject> {
  return object({ keys: ["id", "key", "variant"], requiredKeys: ["id", "key"] });
}

const ERRORS_TO_IGNORE_MAX_CHARACTERS = 300;

function errorsToIgnore(): Field<Json> {
  const name = "autocapture_exceptions_errors_to_ignore";
  const refuse = (detail: string) => new FieldError("invalid_input", detail, null);
  return {
    schema: Type.Array(Type.String()),
    read(value) {
      if (!Array.isArray(value)) throw refuse(`Must provide a list for field: ${name}.`);
      if (value.some((entry) => typeof entry !== "string")) {
        throw refuse(`Must provide a list of strings to field: ${name}.`);
      }
      if (JSON.stringify(value).length > ERRORS_TO_IGNORE_MAX_CHARACTERS) {
        throw refuse(`Field ${name} must be less than ${ERRORS_TO_IGNORE_MAX_CHARACTERS} characters.`);
      }
      return value;
    },
  };
}

const urls = () => list(text({ maxLength: 200 }), { dropBlank: true });
const SESSION_MINIMUM_DURATION_MAX_MS = 30_000;

/** Every writable field but name, timezone and week_start_day, which have columns of their own. */
export const SETTINGS: Record<string, Setting> = {
  app_urls: setting(urls(), []),
  slack_incoming_webhook: setting(nullable(text({ maxLength: 500, blank: true })), null),
  anonymize_ips: flag(false),
  completed_snippet_onboarding: flag(false),
  test_account_filters: setting(propertyFilters(), []),
  test_account_filters_default_checked: optionalFlag(),
  path_cleaning_filters: setting(nullable(pathCleaningFilters()), []),
  is_demo: flag(false),
  data_attributes: optionalJson(["data-attr"]),
  person_display_name_properties: optionalList(text({ maxLength: 400 })),
  correlation_config: optionalJson({}),
  autocapture_opt_out: optionalFlag(),
  autocapture_exceptions_opt_in: optionalFlag(),
  autocapture_web_vitals_opt_in: optionalFlag(),
  autocapture_web_vitals_allowed_metrics: optionalJson(),
  autocapture_exceptions_errors_to_ignore: setting(nullable(errorsToIgnore()), null),
  capture_console_log_opt_in: optionalFlag(),
  capture_performance_opt_in: optionalFlag(),
  session_recording_opt_in: flag(false),
  session_recording_sample_rate: setting(nullable(decimal({ min: 0, max: 1, places: 2 })), null),
  session_recording_minimum_duration_milliseconds: setting(
    nullable(integer({ min: 0, max: SESSION_MINIMUM_DURATION_MAX_MS })),
    null,
  ),
  session_recording_linked_flag: setting(nullable(linkedFlag()), null),
  session_recording_network_payload_capture_config: setting(
    nullable(object({ keys: ["recordHeaders", "recordBody"] })),
    null,
  ),
  session_recording_url_trigger_config: optionalList(anyJson()),
  session_recording_url_blocklist_config: optionalList(anyJson()),
  session_recording_event_trigger_config: optionalList(anyJson()),
  session_replay_config: setting(nullable(replayConfig()), null, mergeReplayConfig),
  survey_config: setting(nullable(object()), null, mergeTop),
  access_control: flag(false),
  primary_dashboard: setting(nullable(integer({ min: 1 })), null),
  live_events_columns: optionalList(text()),
  recording_domains: setting(nullable(urls()), null),
  cookieless_server_hash_mode: setting(nullable(choice([0, 1, 2])), 0),
  human_friendly_comparison_periods: optionalFlag(false),
  inject_web_apps: optionalFlag(),
  extra_settings: optionalJson(),
  modifiers: optionalJson(),
  has_completed_onboarding_for: optionalJson(),
  surveys_opt_in: optionalFlag(),
  heatmaps_opt_in: optionalFlag(),
  flags_persistence_default: optionalFlag(),
  capture_dead_clicks: optionalFlag(false),
  default_data_theme: setting(nullable(integer()), null),
  revenue_tracking_config: optionalJson(),
};

/** The value of a setting of this environment; its default where it was never set. */
export function settingOf(environment: Environment, name: string): Json {
  const value = environment.settings[name];
  return value === undefined ? (SETTINGS[name]?.default ?? null) : value;
}

const TIMEZONE = { ...oneOf([...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])]), $id: "Timezone" };

/** An IANA name in its own spelling; older names of zones are taken, too. */
function timezone(): Field<string> {
  return {
    schema: TIMEZONE,
    read(value) {
      if (typeof value === "string" && isTimezone(value)) return value;
      throw new FieldError(
        "invalid_choice",
        `"${typeof value === "string" ? value : JSON.stringify(value)}" is not a valid choice.`,
      );
    },
  };
}

function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    const resolved = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** All that a PATCH reads. */
export const ENVIRONMENT_FIELDS = {
  name: text({ maxLength: 200 }),
  timezone: timezone(),
  week_start_day: nullable(choice([0, 1])),
};

export const SETTING_FIELDS = Object.fromEntries(Object.entries(SETTINGS).map(([name, entry]) => [name, entry.field]));
