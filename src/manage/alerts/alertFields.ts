import { Type } from "@sinclair/typebox";
import {
  ALERT_CONDITIONS,
  ALERT_INTERVALS,
  type AlertRule,
  type AlertThreshold,
  ANOMALY_DIRECTIONS,
  type AnomalyDetector,
  THRESHOLD_TYPES,
} from "../../metadata/mod.ts";
import { anyObject } from "../../openapi/mod.ts";
import { atMs, type Json, type JsonObject } from "../../types/mod.ts";
import { list } from "../http/compound.ts";
import {
  boolean,
  choice,
  type Field,
  FieldError,
  integer,
  isObject,
  mapped,
  nullable,
  refuseNull,
  text,
} from "../http/fields.ts";
import { timeIn } from "../http/time.ts";
import { webhookUrl } from "./target.ts";

const NAME_MAX = 255;
const READERS_MAX = 100;
const SERIES_MAX = 100;

/** All that a client may set of an alert. */
export const ALERT_FIELDS = {
  insight: integer({ min: 1 }),
  name: text({ maxLength: NAME_MAX, blank: true }),
  enabled: boolean(),
  condition: part(["type"], ({ type }) => readChoice(type, ALERT_CONDITIONS)),
  threshold: nullable(part(["configuration"], readThreshold)),
  config: nullable(part([], readConfig)),
  detector_config: nullable(part([], readDetector)),
  calculation_interval: nullable(choice(ALERT_INTERVALS)),
  skip_weekend: nullable(boolean()),
  subscribed_users: mapped(list(integer({ min: 1 }), { maxItems: READERS_MAX }), (ids) => [...new Set(ids)]),
  snoozed_until: nullable(later()),
  webhook_url: nullable(webhookUrl()),
  new_webhook_secret: boolean(),
};

/** A moment to come: ISO 8601, or how long from now. */
type Later = { atMs: number } | { unit: string; amount: number };

function later(): Field<Later> {
  return {
    schema: Type.String({ examples: ["2026-01-31T09:00:00Z", "1h", "7d"] }),
    read(value) {
      const match = typeof value === "string" ? /^(\d{1,4})([hdwm])$/.exec(value.trim()) : null;
      if (match !== null) return { amount: Number(match[1]), unit: match[2]! };
      const ms = typeof value === "string" ? timeIn(value.trim()) : null;
      if (ms === null) throw new FieldError("invalid_input", "Must be a time, or how long from now: 1h, 1d, 1w, 1m.");
      return { atMs: ms };
    },
  };
}

const UNITS: Record<string, "hours" | "days" | "weeks" | "months"> = { h: "hours", d: "days", w: "weeks", m: "months" };

/** Epoch milliseconds. */
export const momentOf = (later: Later, nowMs: number, timezone: string): number =>
  "atMs" in later ? later.atMs : atMs(nowMs, timezone).add({ [UNITS[later.unit]!]: later.amount }).epochMilliseconds;

/** An object with members that are read one by one. */
function part<T>(required: readonly string[], read: (value: JsonObject) => T): Field<T> {
  return {
    schema: Type.Object(Object.fromEntries(required.map((name) => [name, Type.Unknown()])), {
      additionalProperties: true,
    }),
    shown: anyObject(),
    read(value) {
      refuseNull(value);
      if (!isObject(value)) throw new FieldError("invalid_input", "Invalid data. Expected a dictionary.");
      for (const name of required) {
        if (value[name] === undefined) throw new FieldError("required", "This field is required.", [name]);
      }
      return read(value);
    },
  };
}

function readChoice<T extends string>(value: Json | undefined, choices: readonly T[], fallback?: T): T {
  const found = choices.find((choice) => choice === (value ?? fallback));
  if (found !== undefined) return found;
  throw new FieldError("invalid_choice", `"${String(value)}" is not one of ${choices.join(", ")}.`);
}

function readNumber(value: Json | undefined, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new FieldError("invalid_input", "A valid number is required.", [name]);
}

function readThreshold({ configuration }: JsonObject): AlertThreshold {
  if (!isObject(configuration ?? null)) {
    throw new FieldError("invalid_input", "Invalid data. Expected a dictionary.", ["configuration"]);
  }
  const { type, bounds } = configuration as JsonObject;
  const { lower, upper } = isObject(bounds ?? null) ? (bounds as JsonObject) : {};
  const threshold = {
    type: readChoice(type, THRESHOLD_TYPES, "absolute"),
    lower: readNumber(lower, "configuration"),
    upper: readNumber(upper, "configuration"),
  };
  if (threshold.lower !== null && threshold.upper !== null && threshold.lower > threshold.upper) {
    throw new FieldError("invalid_input", "Lower threshold must be less than upper threshold.", ["configuration"]);
  }
  return threshold;
}

function readConfig({ type, series_index: index, check_ongoing_interval: ongoing }: JsonObject): AlertRule["config"] {
  readChoice(type, ["TrendsAlertConfig"], "TrendsAlertConfig");
  const seriesIndex = readNumber(index, "series_index") ?? 0;
  if (!Number.isInteger(seriesIndex) || seriesIndex < 0 || seriesIndex >= SERIES_MAX) {
    throw new FieldError("invalid_input", "Must be the number of a series, from 0 on.", ["series_index"]);
  }
  return { seriesIndex, checkOngoingInterval: ongoing === true };
}

const WEEKS = { least: 2, most: 12, usual: 4 };
const SENSITIVITY = { least: 0.5, most: 20, usual: 3 };

function readDetector({ type, weeks, sensitivity, direction }: JsonObject): AnomalyDetector {
  readChoice(type, ["past_weeks"], "past_weeks");
  const within = (value: number, { least, most }: { least: number; most: number }, name: string) => {
    if (value >= least && value <= most) return value;
    throw new FieldError("invalid_input", `Must be a number from ${least} to ${most}.`, [name]);
  };
  const count = within(readNumber(weeks, "weeks") ?? WEEKS.usual, WEEKS, "weeks");
  if (!Number.isInteger(count)) throw new FieldError("invalid_input", "Must be a whole number.", ["weeks"]);
  return {
    weeks: count,
    sensitivity: within(readNumber(sensitivity, "sensitivity") ?? SENSITIVITY.usual, SENSITIVITY, "sensitivity"),
    direction: readChoice(direction, ANOMALY_DIRECTIONS, "both"),
  };
}
