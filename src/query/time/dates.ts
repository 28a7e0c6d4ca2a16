import { invalidQuery } from "../shape/errors.ts";
import { atMs } from "./zone.ts";

export const INTERVALS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;
export type Interval = (typeof INTERVALS)[number];

/** `dateRange` of a node. */
export interface DateRangeNode {
  date_from?: string | null;
  date_to?: string | null;
  explicitDate?: boolean | null;
  /** Leaves out what is not a whole interval at either end; see `periods.ts`. */
  excludeIncompletePeriods?: boolean | null;
}

/** What "now", "day" and "week" mean for one query. */
export interface Calendar {
  timezone: string;
  nowMs: number;
  weekStartDay: 0 | 1;
}

/** Both ends belong to the range. */
export interface DateRange {
  from: Temporal.ZonedDateTime;
  to: Temporal.ZonedDateTime;
}

/** A span of epoch milliseconds, both ends within; null is unbounded. */
export interface Span {
  fromMs: number | null;
  toMs: number | null;
}

export interface RangeOptions {
  interval: Interval;
  /** Relative and missing ends are taken to the instant, not rounded to days (BoldNumber). */
  exact?: boolean;
  /** What `all` begins with: the earliest event; null where there is none. */
  earliestMs?: number | null;
}

export type Unit = "h" | "d" | "w" | "m" | "M" | "s" | "q" | "y";

/** A date as a user wrote it: an instant, and for a relative one the unit and edge it named. */
export interface ParsedDate {
  at: Temporal.ZonedDateTime;
  relative: { unit: Unit | null; edge: "Start" | "End" | null } | null;
}

const DEFAULT_DAYS = 7;
const LAST_OF_SECOND = { millisecond: 999, microsecond: 999, nanosecond: 0 };
const LAST_OF_MINUTE = { second: 59, ...LAST_OF_SECOND };
const LAST_OF_HOUR = { minute: 59, ...LAST_OF_MINUTE };
const START_OF_HOUR = { minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 };

const ABSOLUTE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const RELATIVE = /-?(\d+)?([hdwmqysM])(Start|End)?/;

/** ISO date or date-time; without an offset it is local to the zone. Null where the text is none or no such day exists. */
export function parseAbsolute(value: string, timezone: string): Temporal.ZonedDateTime | null {
  const match = ABSOLUTE.exec(value.trim());
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const nanos = (fraction ?? "").padEnd(9, "0");
  const fields = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: Number(nanos.slice(0, 3)),
    microsecond: Number(nanos.slice(3, 6)),
  };
  try {
    const local = Temporal.PlainDateTime.from(fields, { overflow: "reject" });
    if (offset === undefined) return local.toZonedDateTime(timezone);
    const zone = /^z$/i.test(offset)
      ? "UTC"
      : offset.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, h, m) => `${h}:${m ?? "00"}`);
    return local.toZonedDateTime(zone).withTimeZone(timezone);
  } catch {
    return null;
  }
}

/** How far a relative date goes back: `-1w`; null for other texts. */
export function parseShift(value: string): { unit: Unit; amount: number } | null {
  const match = /^-?(\d+)([hdwmqysM])$/.exec(value.trim());
  return match === null ? null : { amount: Number(match[1]), unit: match[2] as Unit };
}

export function back(now: Temporal.ZonedDateTime, unit: Unit, amount: number): Temporal.ZonedDateTime {
  switch (unit) {
    case "h":
      return now.subtract({ hours: amount });
    case "M":
      return now.subtract({ minutes: amount });
    case "s":
      return now.subtract({ seconds: amount });
    case "d":
      return now.subtract({ days: amount });
    case "w":
      return now.subtract({ weeks: amount });
    case "q":
      return now.subtract({ weeks: amount * 13 });
    case "m":
      return now.subtract({ months: amount });
    case "y":
      return now.subtract({ years: amount });
  }
}

/** The last microsecond of the day, also where its last hour is told twice. */
export function endOfDay(at: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const next = at.toPlainDate().add({ days: 1 }).toZonedDateTime(at.timeZoneId);
  return next.subtract({ microseconds: 1 });
}

function toEdge(at: Temporal.ZonedDateTime, unit: Unit, edge: "Start" | "End"): Temporal.ZonedDateTime {
  const isStart = edge === "Start";
  if (unit === "h") return at.with(isStart ? START_OF_HOUR : LAST_OF_HOUR);
  if (unit === "d") return isStart ? at.startOfDay() : endOfDay(at);
  if (unit === "m") return at.with({ day: isStart ? 1 : 31 });
  if (unit === "y") return at.with(isStart ? { month: 1, day: 1 } : { day: 31 });
  return at;
}

/** Rounds a relative date down: hours to the hour, days and more to the day. */
function truncate(date: ParsedDate): Temporal.ZonedDateTime {
  const { at, relative } = date;
  if (relative === null) return at;
  const { unit, edge } = relative;
  if (edge === "End" && (unit === "d" || unit === "h")) return at;
  if (unit === "h") return at.with(START_OF_HOUR);
  if (unit === "M") return at.with({ ...START_OF_HOUR, minute: at.minute });
  if (unit === "s") return at.with({ ...START_OF_HOUR, minute: at.minute, second: at.second });
  return at.startOfDay();
}

/**
 * One end of a range: ISO, else the first thing in it that looks like `-7d`, `-1mStart`, `dEnd`; always into the past.
 * What is neither means now. Errors: TerminalError `invalid_query` when it is out of any calendar.
 */
export function parseDate(value: string, calendar: Calendar): ParsedDate {
  const absolute = parseAbsolute(value, calendar.timezone);
  if (absolute !== null) return { at: absolute, relative: null };
  const now = atMs(calendar.nowMs, calendar.timezone);
  const match = RELATIVE.exec(value);
  if (match === null) return { at: now, relative: { unit: null, edge: null } };
  const unit = match[2] as Unit;
  const edge = (match[3] ?? null) as "Start" | "End" | null;
  try {
    const shifted = match[1] === undefined ? now : back(now, unit, Number(match[1]));
    if (shifted.year < 1) throw new RangeError("before year 1");
    return { at: edge === null ? shifted : toEdge(shifted, unit, edge), relative: { unit, edge } };
  } catch {
    throw invalidQuery("dateRange", `"${value.slice(0, 100)}" reaches too far back`);
  }
}

/** Both ends of a node's range, rounded and padded as docs/queries.md#date-ranges says. */
export function resolveDateRange(node: DateRangeNode | null, options: RangeOptions, calendar: Calendar): DateRange {
  return { from: resolveFrom(node, options, calendar), to: resolveTo(node, options, calendar) };
}

function resolveFrom(node: DateRangeNode | null, options: RangeOptions, calendar: Calendar): Temporal.ZonedDateTime {
  const value = node?.date_from ?? "";
  const isAll = value === "all";
  if (isAll && options.earliestMs != null) return atMs(options.earliestMs, calendar.timezone);
  if (value === "" || isAll) {
    const from = atMs(calendar.nowMs, calendar.timezone).subtract({ days: DEFAULT_DAYS });
    return options.exact ? from.round({ smallestUnit: "second", roundingMode: "floor" }) : from.startOfDay();
  }
  const date = parseDate(value, calendar);
  return options.exact ? date.at : truncate(date);
}

function resolveTo(node: DateRangeNode | null, options: RangeOptions, calendar: Calendar): Temporal.ZonedDateTime {
  const value = node?.date_to ?? "";
  const date: ParsedDate =
    value === ""
      ? { at: atMs(calendar.nowMs, calendar.timezone), relative: { unit: null, edge: null } }
      : parseDate(value, calendar);
  const isRelative = date.relative !== null;
  if (options.exact && isRelative) return date.at;
  const at = value === "" ? date.at : truncate(date);
  if (node?.explicitDate) return at;
  const last = { hour: LAST_OF_HOUR, minute: LAST_OF_MINUTE, second: LAST_OF_SECOND };
  const { interval } = options;
  if (interval !== "hour" && interval !== "minute" && interval !== "second") return endOfDay(at);
  return isRelative ? at.with(last[interval]) : at;
}

/** Where the condition on events begins: the whole first day when buckets are longer than a day (they start earlier still). */
export function firstInstant(range: DateRange, interval: Interval): Temporal.ZonedDateTime {
  const isLong = interval === "week" || interval === "month" || interval === "quarter" || interval === "year";
  return isLong ? range.from.startOfDay() : range.from;
}
