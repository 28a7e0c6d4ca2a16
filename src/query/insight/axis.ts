import { call, compare, constant } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { type Buckets, bucketsOf, isOfClock } from "../time/buckets.ts";
import { type Calendar, type DateRange, firstInstant, type Interval, type Span } from "../time/dates.ts";
import { atMs, formatIso, isDayStart } from "../time/zone.ts";

/** A span with an end. */
export interface Past extends Span {
  toMs: number;
}

/** A span of time that is asked about. */
export interface Period extends Past {
  label: "current" | "previous";
  range: DateRange;
  fromMs: number;
  /** The time axis; null for a total. */
  buckets: Buckets | null;
  /** Whether it and its buckets begin and end with days. */
  isOfDays: boolean;
}

/** The period of a range. `isFirst`: it begins with the first event, before which nothing is counted. */
export function periodOf(
  range: DateRange,
  o: { label: Period["label"]; interval: Interval; isTotal: boolean; isFirst: boolean },
  calendar: Calendar,
): Period {
  const { label, interval, isTotal } = o;
  const isByDays = !isOfClock(interval);
  const first = () => (isTotal ? range.from : firstInstant(range, interval));
  const fromMs = (o.isFirst && isByDays ? range.from.startOfDay() : first()).epochMilliseconds;
  const toMs = range.to.epochMilliseconds;
  const buckets = isTotal ? null : bucketsOf(range, interval, calendar);
  const isOfDays = (isTotal || isByDays) && [fromMs, toMs + 1].every((ms) => isDayStart(ms, calendar.timezone));
  return { label, range, fromMs, toMs, buckets, isOfDays };
}

/** Whether a period ends before it begins. */
export const isEmpty = ({ buckets, fromMs, toMs }: Period): boolean => buckets?.starts.length === 0 || fromMs > toMs;

/** A total has one. */
export const bucketCount = ({ buckets }: Pick<Period, "buckets">): number => buckets?.starts.length ?? 1;

/** An answer of more numbers would take hundreds of megabytes. */
const MAX_CELLS = 500_000;

/** Refuses an answer of too many numbers, zeros included. `place`: the option that asks for them. Errors: TerminalError `invalid_query`. */
export function checkCells(cells: number, place = "dateRange"): void {
  if (cells > MAX_CELLS) throw invalidQuery(place, `${cells} cells are asked for, at most ${MAX_CELLS}`);
}

const START_OF: Record<Interval, string> = {
  second: "toStartOfSecond",
  minute: "toStartOfMinute",
  hour: "toStartOfHour",
  day: "toStartOfDay",
  week: "toStartOfWeek",
  month: "toStartOfMonth",
  quarter: "toStartOfQuarter",
  year: "toStartOfYear",
};

/** The bucket of a time, named by its start; NULL for a total. */
export function bucketOf({ buckets }: Pick<Period, "buckets">, time: Expression): Expression {
  return buckets === null ? constant(null) : call(START_OF[buckets.interval], time);
}

/**
 * The numbers of the buckets that a name in an answer means: as `bucketOf` gives it; with `areDays` a day, as such or as the time
 * when it begins, which on an axis by hours is the day of all of them. A total has one.
 */
export function bucketNumbers({ buckets }: Period, areDays: boolean): (name: string | null) => readonly number[] {
  if (buckets === null) return () => [0];
  const { interval, starts, days } = buckets;
  const areTimes = isOfClock(interval) || interval === "day";
  const numbers = new Map<string, number[]>();
  starts.forEach((start, i) => {
    const time = shownUtc(areDays ? start.startOfDay() : start);
    const names = areDays ? [days[i]!.slice(0, 10), time] : [areTimes ? time : days[i]!];
    for (const name of names) numbers.set(name, [...(numbers.get(name) ?? []), i]);
  });
  return (name) => numbers.get((name ?? "").slice(0, "2020-01-01T00:00:00.000".length)) ?? [];
}

/** A time as the rows of a statement have it, to the millisecond. */
const shownUtc = (at: Temporal.ZonedDateTime): string => new Date(at.epochMilliseconds).toISOString().slice(0, -1);

/** The conditions that a time lies in a span. HogQL has times of the years 0 to 9999: ends beyond them are no bounds. */
export function inSpan(time: Expression, { fromMs, toMs }: Past, { timezone }: Calendar): Expression[] {
  const from = fromMs === null ? null : atMs(fromMs, timezone);
  const end = atMs(toMs + 1, timezone);
  return [
    ...(from === null || from.year < 0 ? [] : [compare(time, ">=", constant(formatIso(from)))]),
    ...(end.year > 9999 ? [] : [compare(time, "<", constant(formatIso(end)))]),
  ];
}
