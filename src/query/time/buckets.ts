import { invalidQuery } from "../shape/errors.ts";
import { piecewise } from "../sql/piecewise.ts";
import { integer, type Sql, sql } from "../sql/sql.ts";
import type { Calendar, DateRange, Interval } from "./dates.ts";

/** The time axis of an insight. */
export interface Buckets {
  interval: Interval;
  /** Start of each bucket and the end of the last, epoch milliseconds: one more than there are buckets. */
  edgesMs: number[];
  /** Local start of each: `YYYY-MM-DD`, for hours and less `YYYY-MM-DD HH:MM:SS`. */
  days: string[];
  labels: string[];
  /** Start of each as an instant. */
  starts: Temporal.ZonedDateTime[];
}

/** More points than any chart shows; a guard against an hourly look at a century. */
const MAX_BUCKETS = 50_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Start of the bucket that holds an instant. */
export function startOfInterval(at: Temporal.ZonedDateTime, interval: Interval, weekStartDay: 0 | 1) {
  const monthStart = (month: number) => at.toPlainDate().with({ month, day: 1 }).toZonedDateTime(at.timeZoneId);
  switch (interval) {
    case "second":
    case "minute":
    case "hour":
      return at.round({ smallestUnit: interval, roundingMode: "floor" });
    case "day":
      return at.startOfDay();
    case "week": {
      const daysIn = weekStartDay === 1 ? at.dayOfWeek - 1 : at.dayOfWeek % 7;
      return at.toPlainDate().subtract({ days: daysIn }).toZonedDateTime(at.timeZoneId);
    }
    case "month":
      return monthStart(at.month);
    case "quarter":
      return monthStart(at.month - ((at.month - 1) % 3));
    case "year":
      return monthStart(1);
  }
}

/** The steps of the calendar. */
const STEPS = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
};

/** Whether buckets are parts of a day, and are named with a time. */
export const isOfClock = (interval: Interval): interval is "second" | "minute" | "hour" =>
  interval === "second" || interval === "minute" || interval === "hour";

/**
 * Start of the bucket after the one that starts at `at`. Days and more are steps of the calendar, so a day may
 * have 23 or 25 hours. Hours are steps of the clock hand: an hour told twice gives two buckets.
 */
export function nextStart(at: Temporal.ZonedDateTime, interval: Interval): Temporal.ZonedDateTime {
  return isOfClock(interval) ? nextOfClock(at, interval) : startOf(at.toPlainDate().add(STEPS[interval]), at);
}

function startOf(date: Temporal.PlainDate, at: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return date.toZonedDateTime(at.timeZoneId);
}

function nextOfClock(at: Temporal.ZonedDateTime, interval: "second" | "minute" | "hour"): Temporal.ZonedDateTime {
  if (interval === "second") return at.add({ seconds: 1 });
  if (interval === "minute") return at.add({ minutes: 1 });
  const later = at.add({ hours: 1 });
  if (later.minute === 0) return later;
  // The clock changed by part of an hour.
  const change = at.getTimeZoneTransition("next");
  if (change !== null && change.epochMilliseconds <= later.epochMilliseconds && change.hour !== at.hour) return change;
  return later.hour === at.hour ? later.add({ minutes: 60 - later.minute }) : later.subtract({ minutes: later.minute });
}

/** Where the buckets of a span of epoch milliseconds begin, and the last one ends; null where there are more than `max`. */
export function edgesOf(
  fromMs: number,
  toMs: number,
  interval: Interval,
  calendar: Calendar,
  max: number,
): number[] | null {
  const zoned = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(calendar.timezone);
  let at = startOfInterval(zoned(fromMs), interval, calendar.weekStartDay);
  const edges = [at.epochMilliseconds];
  const stepMs = STEP_MS[interval];
  const change = stepMs === undefined ? null : at.getTimeZoneTransition("next");
  // Without a change of the clock all are equally long.
  if (stepMs !== undefined && (change === null || change.epochMilliseconds > toMs + stepMs)) {
    if ((toMs - edges[0]!) / stepMs > max) return null;
    for (let ms = edges[0]! + stepMs; edges.at(-1)! <= toMs; ms += stepMs) edges.push(ms);
    return edges;
  }
  while (at.epochMilliseconds <= toMs) {
    if (edges.length > max) return null;
    at = nextStart(at, interval);
    if (at.epochMilliseconds > edges.at(-1)!) edges.push(at.epochMilliseconds);
  }
  return edges;
}

const STEP_MS: Partial<Record<Interval, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/** The buckets that a range touches, in order. Errors: TerminalError `invalid_query` when there are too many. */
export function bucketsOf(range: DateRange, interval: Interval, calendar: Calendar): Buckets {
  const starts: Temporal.ZonedDateTime[] = [];
  let at = startOfInterval(range.from, interval, calendar.weekStartDay);
  let date = at.toPlainDate();
  const days: string[] = [];
  const edgesMs: number[] = [];
  while (at.epochMilliseconds <= range.to.epochMilliseconds) {
    if (starts.length >= MAX_BUCKETS) {
      throw invalidQuery("dateRange", `the range has more than ${MAX_BUCKETS} buckets of one ${interval}`);
    }
    const shown = isOfClock(interval) ? `${at.toPlainDate()} ${clock(at, interval)}` : date.toString();
    // The date goes on by itself: one that a zone skipped begins where the next one does.
    if (!isOfClock(interval)) date = date.add(STEPS[interval]);
    const next = isOfClock(interval) ? nextOfClock(at, interval) : startOf(date, at);
    // A date that a zone skipped (Apia's 30 December 2011) begins and ends at the same instant: no bucket.
    if (next.epochMilliseconds > at.epochMilliseconds) {
      starts.push(at);
      edgesMs.push(at.epochMilliseconds);
      days.push(shown);
    }
    at = next;
  }
  edgesMs.push(at.epochMilliseconds);
  const labels = starts.map((start, i) => label(start, days[i]!, range, interval));
  return { interval, edgesMs, days, labels, starts };
}

/** `HH:MM:SS` of the bucket's name, also where a change of the clock cut its beginning off. */
function clock(at: Temporal.ZonedDateTime, interval: Interval): string {
  const parts = [at.hour, interval === "hour" ? 0 : at.minute, interval === "second" ? at.second : 0];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

const dayMonth = (date: { day: number; month: number }): string => `${date.day}-${MONTHS[date.month - 1]}`;
const dayMonthYear = (date: Temporal.PlainDate): string => `${dayMonth(date)}-${date.year}`;

function label(at: Temporal.ZonedDateTime, day: string, range: DateRange, interval: Interval): string {
  if (isOfClock(interval)) return `${dayMonth(at)} ${clock(at, interval).slice(0, interval === "second" ? 8 : 5)}`;
  const date = Temporal.PlainDate.from(day);
  if (interval === "month") return `${MONTHS[date.month - 1]} ${date.year}`;
  return interval === "week" ? weekLabel(date, range) : dayMonthYear(date);
}

/** The days of the week that lie in the range. */
function weekLabel(start: Temporal.PlainDate, range: DateRange): string {
  const later = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (Temporal.PlainDate.compare(a, b) >= 0 ? a : b);
  const earlier = (a: Temporal.PlainDate, b: Temporal.PlainDate) => (Temporal.PlainDate.compare(a, b) <= 0 ? a : b);
  const first = later(start, range.from.toPlainDate());
  const last = later(earlier(start.add({ days: 6 }), range.to.toPlainDate()), first);
  if (first.equals(last)) return dayMonthYear(first);
  if (first.year !== last.year) return `${dayMonthYear(first)} – ${dayMonthYear(last)}`;
  if (first.month !== last.month) return `${dayMonth(first)} – ${dayMonth(last)}`;
  return `${first.day}–${last.day} ${MONTHS[last.month - 1]}`;
}

/** Neighbouring buckets of one length. */
interface Run {
  index: number;
  startMs: number;
  stepMs: number;
}

/** The runs of equal steps between edges, which are one more than the steps. */
export function runsOf(edgesMs: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i + 1 < edgesMs.length; i++) {
    const stepMs = edgesMs[i + 1]! - edgesMs[i]!;
    if (runs.at(-1)?.stepMs !== stepMs) runs.push({ index: i, startMs: edgesMs[i]!, stepMs });
  }
  return runs;
}

/**
 * The number (from 0) of the bucket that holds a UTC timestamp known to lie in the range: plain arithmetic, with a
 * binary search over the places where the length of buckets changes (daylight saving, months).
 */
export function bucketIndex(timestamp: Sql, buckets: Pick<Buckets, "edgesMs">): Sql {
  const runs = runsOf(buckets.edgesMs);
  if (runs.length === 0) return integer(0);
  const ms = sql`epoch_ms(${timestamp})`;
  const pieces = runs.map((run) => {
    const steps = sql`(${ms} - ${integer(run.startMs)}) // ${integer(run.stepMs)}`;
    return { from: run.startMs, result: sql`(${integer(run.index)} + ${steps})` };
  });
  return piecewise(ms, pieces);
}

/** The start of the bucket of a number, as a UTC timestamp. */
export function bucketStart(index: Sql, { edgesMs }: Pick<Buckets, "edgesMs">): Sql {
  const pieces = runsOf(edgesMs).map((run) => {
    const ms = sql`${integer(run.startMs - run.index * run.stepMs)} + ${index} * ${integer(run.stepMs)}`;
    return { from: run.index, result: sql`make_timestamp_ms(${ms})` };
  });
  return piecewise(index, pieces);
}
