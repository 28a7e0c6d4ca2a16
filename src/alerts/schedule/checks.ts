import type { Alert } from "../../metadata/mod.ts";
import { atMs } from "../../types/mod.ts";

const MINUTE_MS = 60_000;
/** Between two looks at new data. */
const REAL_TIME_MS = 15_000;
/** So long after the end of an hour its events are stored. */
const SETTLE_MS = 2 * MINUTE_MS;
/** Days, weeks and months are judged at this hour of the zone: events that are sent late are there. */
const HOUR = 1;
const SATURDAY = 6;
const MONDAY = 1;

/** When an alert is due again after a check at `nowMs`, by the clock of the project's zone. */
export function nextCheckMs(
  { calculationInterval, skipWeekend }: Pick<Alert, "calculationInterval" | "skipWeekend">,
  nowMs: number,
  timezone: string,
): number {
  const now = atMs(nowMs, timezone);
  const today = now.startOfDay().with({ hour: HOUR });
  switch (calculationInterval) {
    case "real_time":
      return nowMs + REAL_TIME_MS;
    case "every_15_minutes":
      return (Math.floor((nowMs - MINUTE_MS) / (15 * MINUTE_MS)) + 1) * 15 * MINUTE_MS + MINUTE_MS;
    case "hourly":
      return onWorkday(afterHour(nowMs), timezone, skipWeekend);
    case "daily":
      return onWorkday(firstAfter(nowMs, today, { days: 1 }), timezone, skipWeekend);
    case "weekly":
      return firstAfter(nowMs, today.subtract({ days: now.dayOfWeek - MONDAY }), { weeks: 1 });
    case "monthly":
      return firstAfter(nowMs, today.with({ day: 1 }), { months: 1 });
  }
}

const afterHour = (nowMs: number): number =>
  (Math.floor((nowMs - SETTLE_MS) / (60 * MINUTE_MS)) + 1) * 60 * MINUTE_MS + SETTLE_MS;

function firstAfter(nowMs: number, at: Temporal.ZonedDateTime, step: Temporal.DurationLike): number {
  for (let next = at; ; next = next.add(step)) if (next.epochMilliseconds > nowMs) return next.epochMilliseconds;
}

/** The same, or the beginning of Monday for a time on Saturday or Sunday. */
function onWorkday(ms: number, timezone: string, skipWeekend: boolean): number {
  const at = atMs(ms, timezone);
  if (!skipWeekend || at.dayOfWeek < SATURDAY) return ms;
  const monday = at.startOfDay().add({ days: 8 - at.dayOfWeek });
  return monday.with({ hour: HOUR }).epochMilliseconds;
}
