import type { ExportCycle } from "../metadata/mod.ts";
import { atMs, DAY_MS } from "../types/mod.ts";

const MINUTE_MS = 60_000;

/** Intervals of equal length; they begin where UTC's do. */
const FIXED_MS = {
  "every 5 minutes": 5 * MINUTE_MS,
  "every 15 minutes": 15 * MINUTE_MS,
  hour: 60 * MINUTE_MS,
} as const;
/** Intervals of the calendar of a zone: days in them. */
const CALENDAR_DAYS = { day: 1, week: 7 } as const;

type Fixed = keyof typeof FIXED_MS;
type Calendar = keyof typeof CALENDAR_DAYS;

/** By their names in the API. */
export const INTERVALS = ["hour", "day", "week", "every 5 minutes", "every 15 minutes"] as const;

export const isOfCalendar = (interval: string | null): interval is Calendar =>
  interval !== null && Object.hasOwn(CALENDAR_DAYS, interval);

/**
 * Where intervals meet: the first such moment after `ms`, epoch milliseconds. Days and weeks begin at `offsetHour` by the clock of the
 * zone, weeks on `offsetDay`. An hour that the clock leaves out is the one behind it, of one that comes twice it is the first; so a
 * day has 23 to 25 hours.
 */
export function boundaryAfter(ms: number, cycle: ExportCycle): number {
  const { interval } = cycle;
  if (!isOfCalendar(interval)) {
    const lengthMs = FIXED_MS[interval as Fixed];
    return (Math.floor(ms / lengthMs) + 1) * lengthMs;
  }
  const days = CALENDAR_DAYS[interval];
  let date = startDate(ms, cycle).subtract({ days });
  for (;;) {
    const boundaryMs = boundaryOn(date, cycle);
    if (boundaryMs > ms) return boundaryMs;
    date = date.add({ days });
  }
}

/** The last such moment that is not after `ms`. */
export function boundaryUpTo(ms: number, cycle: ExportCycle): number {
  const { interval } = cycle;
  if (!isOfCalendar(interval)) {
    const lengthMs = FIXED_MS[interval as Fixed];
    return Math.floor(ms / lengthMs) * lengthMs;
  }
  const days = CALENDAR_DAYS[interval];
  let date = startDate(ms, cycle).add({ days });
  for (;;) {
    const boundaryMs = boundaryOn(date, cycle);
    if (boundaryMs <= ms) return boundaryMs;
    date = date.subtract({ days });
  }
}

/** How many intervals there are from one moment to another, the first and the last in part. */
export function countIntervals(fromMs: number, toMs: number, cycle: ExportCycle): number {
  if (fromMs >= toMs) return 0;
  const { interval } = cycle;
  const lengthMs = isOfCalendar(interval) ? CALENDAR_DAYS[interval] * DAY_MS : FIXED_MS[interval as Fixed];
  // A day may have an hour more or less.
  return 1 + Math.round((boundaryUpTo(toMs - 1, cycle) - boundaryUpTo(fromMs, cycle)) / lengthMs);
}

/** A day on which an interval begins, near to a moment. */
function startDate(ms: number, { interval, timezone, offsetDay }: ExportCycle): Temporal.PlainDate {
  const date = atMs(ms, timezone).toPlainDate();
  if (interval !== "week") return date;
  // Of Temporal's days Sunday is 7.
  const since = ((date.dayOfWeek % 7) - (offsetDay ?? 0) + 7) % 7;
  return date.subtract({ days: since });
}

/** When the interval of a day begins. */
export function boundaryOn(date: Temporal.PlainDate, { timezone, offsetHour }: ExportCycle): number {
  const plainTime = new Temporal.PlainTime(offsetHour ?? 0);
  return date.toZonedDateTime({ timeZone: timezone, plainTime }).epochMilliseconds;
}
