import { compare, constant, field } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { back, type Calendar, resolveDateRange, type Unit } from "../time/dates.ts";
import { atMs, formatIso } from "../time/zone.ts";
import type { Behavior, Length } from "./behaviorNode.ts";

type Moment = Temporal.ZonedDateTime;

/** A span of time; `before` is outside. */
export interface Window {
  from: Moment;
  before: Moment;
}

/** No event is older, and the engine reads no date before it. */
const FIRST_YEAR = 1000;

/** The dates of a behavior, or its length of time up to the end of today. Errors: TerminalError `invalid_query`. */
export function windowOf(behavior: Behavior, calendar: Calendar): Window {
  const { dates, place } = behavior;
  if (dates === null) return lastOf(behavior.length, calendar, `${place}.time_value`);
  const { from, to } = resolveDateRange(dates, { interval: "day" }, calendar);
  return checked({ from, before: to.add({ microseconds: 1 }) }, `${place}.explicit_datetime`);
}

/** A length of time up to the end of today: of days and more, whole days; of hours and minutes, whole ones. */
export function lastOf({ amount, unit }: Length, calendar: Calendar, place: string): Window {
  try {
    const { from, to } = resolveDateRange({ date_from: `-${amount}${unit}` }, { interval: "day" }, calendar);
    return checked({ from, before: to.add({ microseconds: 1 }) }, place);
  } catch {
    throw invalidQuery(place, "reaches too far back");
  }
}

/** The last whole periods of a length, the newest first; the day, hour or minute that runs is in none. */
export function lastPeriods({ amount, unit }: Length, count: number, calendar: Calendar, place: string): Window[] {
  const end = startOf(atMs(calendar.nowMs, calendar.timezone), unit);
  try {
    return Array.from({ length: count }, (_, i) =>
      checked({ from: back(end, unit, amount * (i + 1)), before: back(end, unit, amount * i) }, place),
    );
  } catch {
    throw invalidQuery(place, "the periods reach too far back");
  }
}

function startOf(at: Moment, unit: Unit): Moment {
  if (unit === "M") return at.round({ smallestUnit: "minute", roundingMode: "floor" });
  return unit === "h" ? at.round({ smallestUnit: "hour", roundingMode: "floor" }) : at.startOfDay();
}

function checked(window: Window, place: string): Window {
  if (window.from.year < FIRST_YEAR) throw invalidQuery(place, "reaches too far back");
  return window;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;
const LENGTHS_MS: Record<Length["interval"], number> = {
  minute: 60 * SECOND_MS,
  hour: 3600 * SECOND_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
};

/** A length of time between two events; a month has 30 days then, a year 365. */
export const lengthMs = ({ amount, interval }: Length): number => amount * LENGTHS_MS[interval];

const TIMESTAMP = field("timestamp");
const shownAs = (at: Moment): Expression => constant(formatIso(at));

/** The conditions on the time of events. */
export const since = (at: Moment): Expression => compare(TIMESTAMP, ">=", shownAs(at));
export const before = (at: Moment): Expression => compare(TIMESTAMP, "<", shownAs(at));
export const within = (window: Window): Expression[] => [since(window.from), before(window.before)];
