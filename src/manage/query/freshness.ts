import { DAY_MS, type Json, type JsonObject } from "../../types/mod.ts";
import { isObject } from "../http/fields.ts";
import { INSIGHT_KINDS } from "./nodes.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a result stays fresh, by the interval that its query counts in. */
const FRESH_MS: Record<string, number> = {
  second: 5 * MINUTE_MS,
  minute: 5 * MINUTE_MS,
  hour: HOUR_MS,
  day: 6 * HOUR_MS,
  week: DAY_MS,
  month: 2 * DAY_MS,
  quarter: 2 * DAY_MS,
  year: 2 * DAY_MS,
};

/** Milliseconds that a result of this source node (see `sourceOf`) stays fresh. */
export function freshMs(source: JsonObject): number {
  // All other kinds (HogQL, listings) age like one counted in minutes.
  if (!INSIGHT_KINDS.has(String(source.kind))) return FRESH_MS.minute!;
  return FRESH_MS[typeof source.interval === "string" ? source.interval : "day"] ?? FRESH_MS.day!;
}

/** Pause that a client should keep before it asks for a calculation again; advice only. */
export function clientPauseMs(source: JsonObject): number {
  return source.kind === "TrendsQuery" ? 3 * MINUTE_MS : MINUTE_MS;
}

/** Events of now may still be on their way when a range has just ended. */
const CLOSED_MARGIN_MS = 10_000;
/** A local time is at most this much later in UTC. */
const ZONE_MAX_MS = 12 * HOUR_MS;

/** Whether the range of dates is the same whenever it is asked for, and was over when the result was calculated. */
export function isClosedRange(source: JsonObject, computedAtMs: number): boolean {
  const range = isObject(source.dateRange) ? source.dateRange : {};
  const endMs = latestInstant(range.date_to);
  const isFixed = range.date_from === "all" || latestInstant(range.date_from) !== null;
  return isFixed && endMs !== null && endMs + CLOSED_MARGIN_MS < computedAtMs;
}

/** The latest instant that an absolute date can mean in any time zone; null for relative ones. */
function latestInstant(date: Json | undefined): number | null {
  if (typeof date !== "string") return null;
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(date);
  if (match === null) return null;
  const [, day, time, zone] = match;
  if (time === undefined) return valid(Date.parse(`${day}T00:00:00Z`) + DAY_MS + ZONE_MAX_MS);
  // The last second of a day may be meant by a time in it.
  if (zone === undefined) return valid(Date.parse(`${day}T${time}Z`) + DAY_MS + ZONE_MAX_MS);
  return valid(Date.parse(`${day}T${time}${zone}`) + DAY_MS);
}

const valid = (ms: number): number | null => (Number.isNaN(ms) ? null : ms);
