import { addMonths, DAY_MS, dateOf, HOUR_MS, instantOf, MINUTE_MS, wallOf, wallText } from "./clock.ts";
import type { World } from "./world.ts";

export type Interval = "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";

export interface NaiveRange {
  date_from?: string | null;
  date_to?: string | null;
  excludeIncompletePeriods?: boolean;
}

/** Instants, both within, and the wall times that they were made of. */
export interface NaivePeriod {
  fromMs: number;
  toMs: number;
  fromWall: number;
  toWall: number;
}

const isClock = (interval: Interval): boolean => interval === "second" || interval === "minute" || interval === "hour";
const CLOCK_MS: Record<string, number> = { second: 1000, minute: MINUTE_MS, hour: HOUR_MS };

/** The last millisecond of the day of a wall time. */
function endOfDay(wall: number, timezone: string): number {
  return instantOf(dateOf(wall) + DAY_MS, timezone) - 1;
}

/** The date of the bucket that a date belongs to. */
export function bucketDate(date: number, interval: Interval, weekStartDay: 0 | 1): number {
  const at = new Date(date);
  const month = (index: number): number => Date.UTC(at.getUTCFullYear(), index, 1);
  if (interval === "week") return date - ((at.getUTCDay() - weekStartDay + 7) % 7) * DAY_MS;
  if (interval === "month") return month(at.getUTCMonth());
  if (interval === "quarter") return month(at.getUTCMonth() - (at.getUTCMonth() % 3));
  return interval === "year" ? month(0) : date;
}

function nextDate(date: number, interval: Interval): number {
  const months = { month: 1, quarter: 3, year: 12 }[interval as string];
  if (months !== undefined) return addMonths(date, months);
  return date + (interval === "week" ? 7 : 1) * DAY_MS;
}

/** A relative or absolute date as an instant; `isEnd` and `edge` as it was written. */
function read(text: string, world: World): { ms: number; unit: string | null; edge: string | null } {
  const { timezone, nowMs } = world;
  const absolute = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d))?(Z)?$/.exec(text);
  if (absolute !== null) {
    const [, year, month, day, hour, minute, second, zulu] = absolute;
    const wall = Date.UTC(+year!, +month! - 1, +day!, +(hour ?? 0), +(minute ?? 0), +(second ?? 0));
    return { ms: zulu === undefined ? instantOf(wall, timezone) : wall, unit: null, edge: null };
  }
  const [, amount, unit, edge] = /^-?(\d+)?([hdwmMsqy])(Start|End)?$/.exec(text)!;
  const count = Number(amount ?? 0);
  const clock = { h: HOUR_MS, M: MINUTE_MS, s: 1000 }[unit!];
  if (clock !== undefined) return { ms: nowMs - count * clock, unit: unit!, edge: edge ?? null };
  const wall = wallOf(nowMs, timezone);
  const days = { d: 1, w: 7, q: 91 }[unit!];
  const shifted = days === undefined ? addMonths(wall, -count * (unit === "y" ? 12 : 1)) : wall - count * days * DAY_MS;
  return {
    ms: edge === undefined ? instantOf(shifted, timezone) : edged(shifted, unit!, edge, timezone),
    unit: unit!,
    edge: edge ?? null,
  };
}

function edged(wall: number, unit: string, edge: string, timezone: string): number {
  const date = new Date(wall);
  const inDay = wall - dateOf(wall);
  const to = (month: number, day: number): number =>
    instantOf(Date.UTC(date.getUTCFullYear(), month, day) + inDay, timezone);
  if (unit === "d") return edge === "Start" ? instantOf(dateOf(wall), timezone) : endOfDay(wall, timezone);
  if (unit === "y" && edge === "Start") return to(0, 1);
  if (edge === "Start") return to(date.getUTCMonth(), 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return to(date.getUTCMonth(), last);
}

/** The range of a question (docs/queries.md#date-ranges). `isExact`: that of a number alone. */
export function periodOf(range: NaiveRange, interval: Interval, isExact: boolean, world: World): NaivePeriod {
  const { timezone, nowMs } = world;
  const dayStart = (ms: number): number => instantOf(dateOf(wallOf(ms, timezone)), timezone);
  const floor = (ms: number, size: number): number => ms - (((wallOf(ms, timezone) % size) + size) % size);
  let fromMs: number;
  if (range.date_from == null) {
    const weekAgo = instantOf(wallOf(nowMs, timezone) - 7 * DAY_MS, timezone);
    fromMs = isExact ? floor(weekAgo, 1000) : dayStart(weekAgo);
  } else {
    const { ms, unit, edge } = read(range.date_from, world);
    const isKept = unit === null || isExact || (edge === "End" && unit === "d");
    const size = { h: HOUR_MS, M: MINUTE_MS, s: 1000 }[unit ?? ""];
    fromMs = isKept ? ms : size === undefined ? dayStart(ms) : floor(ms, size);
  }
  let toMs: number;
  const end = range.date_to == null ? null : read(range.date_to, world);
  const isRelative = end === null || end.unit !== null;
  const at = end?.ms ?? nowMs;
  if (isExact && isRelative) toMs = at;
  else if (!isClock(interval)) toMs = endOfDay(wallOf(at, timezone), timezone);
  else toMs = isRelative ? floor(at, CLOCK_MS[interval]!) + CLOCK_MS[interval]! - 1 : at;
  const period = named(fromMs, toMs, timezone);
  return range.excludeIncompletePeriods ? wholeBuckets(period, interval, world) : period;
}

function named(fromMs: number, toMs: number, timezone: string): NaivePeriod {
  return { fromMs, toMs, fromWall: wallOf(fromMs, timezone), toWall: wallOf(toMs, timezone) };
}

/** Whole intervals that are past. Tests ask for it with days and more only. */
function wholeBuckets(period: NaivePeriod, interval: Interval, world: World): NaivePeriod {
  const { timezone, weekStartDay, nowMs } = world;
  const starts: number[] = [];
  let date = bucketDate(dateOf(period.fromWall), interval, weekStartDay);
  for (; instantOf(date, timezone) <= period.toMs + 1; date = nextDate(date, interval))
    starts.push(instantOf(date, timezone));
  const whole = starts.slice(0, -1).map((start, i) => ({ start, next: starts[i + 1]! }));
  const kept = whole.filter(({ start, next }) => start >= period.fromMs && next <= period.toMs + 1 && next <= nowMs);
  if (kept.length === 0) return period;
  return named(kept[0]!.start, kept.at(-1)!.next - 1, timezone);
}

/** The period that one is compared with (docs/queries.md#comparing-and-sampling). */
export function earlierPeriod(
  period: NaivePeriod,
  range: NaiveRange,
  interval: Interval,
  isExact: boolean,
  compareTo: string | null,
  timezone: string,
): NaivePeriod {
  const { fromWall, toWall } = period;
  const endOf = (wall: number): number =>
    wall % DAY_MS === DAY_MS - 1 ? endOfDay(wall, timezone) : instantOf(wall, timezone);
  const back = (shift: (wall: number) => number): NaivePeriod =>
    named(instantOf(shift(fromWall), timezone), endOf(shift(toWall)), timezone);
  if (compareTo !== null) {
    const [, amount, unit] = /^-(\d+)([dwm])$/.exec(compareTo)!;
    const count = Number(amount);
    return back((wall) => (unit === "m" ? addMonths(wall, -count) : wall - count * (unit === "w" ? 7 : 1) * DAY_MS));
  }
  const startWall = fromWall - (toWall - fromWall);
  if (isExact || interval === "minute") return named(instantOf(startWall, timezone), period.fromMs - 1, timezone);
  const weeks = /^-(\d+)d$/.exec(range.date_from ?? "");
  const isWeeks =
    weeks !== null && Number(weeks[1]) % 7 === 0 && range.date_to == null && !range.excludeIncompletePeriods;
  // By whole days, so that times of day are the same.
  const days = dateOf(fromWall) - dateOf(startWall) - (interval === "day" && isWeeks ? DAY_MS : 0);
  return back((wall) => wall - days);
}

export interface NaiveBucket {
  /** The name of the day or the time that it begins with. */
  name: string;
  /** The date that it begins on, as the wall time of midnight. */
  date: number;
  holds(ms: number): boolean;
}

/** The buckets of a period in order. */
export function bucketsOf(period: NaivePeriod, interval: Interval, world: World): NaiveBucket[] {
  return isClock(interval) ? clockBuckets(period, interval, world) : calendarBuckets(period, interval, world);
}

function calendarBuckets({ fromWall, toMs }: NaivePeriod, interval: Interval, world: World): NaiveBucket[] {
  const { timezone, weekStartDay } = world;
  const buckets: NaiveBucket[] = [];
  let date = bucketDate(dateOf(fromWall), interval, weekStartDay);
  while (instantOf(date, timezone) <= toMs) {
    const [own, next] = [date, nextDate(date, interval)];
    const holds = (ms: number): boolean => bucketDate(dateOf(wallOf(ms, timezone)), interval, weekStartDay) === own;
    // A date that a zone skipped has no instant.
    if (instantOf(next, timezone) > instantOf(own, timezone))
      buckets.push({ name: wallText(own).slice(0, 10), date: own, holds });
    date = next;
  }
  return buckets;
}

/** By going through the time in small steps. */
function clockBuckets({ fromMs, toMs }: NaivePeriod, interval: Interval, { timezone }: World): NaiveBucket[] {
  const size = CLOCK_MS[interval]!;
  const step = Math.min(size, 15 * MINUTE_MS);
  const nameOf = (ms: number): string => wallText(Math.floor(wallOf(ms, timezone) / size) * size);
  const startMs = fromMs - (((wallOf(fromMs, timezone) % size) + size) % size);
  const starts: { ms: number; name: string }[] = [];
  let ms = startMs;
  for (; ms <= toMs || nameOf(ms) === starts.at(-1)?.name; ms += step) {
    // An hour that is told again from its beginning is one of its own; a part of one is not.
    const isAgain = wallOf(ms, timezone) < wallOf(ms - step, timezone) && wallOf(ms, timezone) % size === 0;
    if (starts.at(-1)?.name === nameOf(ms) && !isAgain) continue;
    if (ms > toMs) break;
    starts.push({ ms, name: nameOf(ms) });
  }
  return starts.map((start, i) => ({
    name: start.name,
    date: dateOf(wallOf(start.ms, timezone)),
    holds: (at) => at >= start.ms && at < (starts[i + 1]?.ms ?? ms),
  }));
}
