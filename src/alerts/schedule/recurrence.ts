import type { Recurrence } from "../../metadata/mod.ts";
import { atMs } from "../../types/mod.ts";

/** A subscription that falls on no day for so long (the 31st every other February) has ended. */
const LOOK_STEPS = 400;

/**
 * When a subscription is delivered first after `afterMs`; null where never. Days are those of the project's zone, and the time of day is
 * that of `startDateMs` there, so that nine o'clock stays nine o'clock. A day of a month that a month does not have is its last one.
 */
export function nextDeliveryMs(recurrence: Recurrence, afterMs: number, timezone: string): number | null {
  const start = atMs(recurrence.startDateMs, timezone);
  const from = Math.max(afterMs, recurrence.startDateMs - 1);
  const { untilDateMs } = recurrence;
  for (
    let step = firstStep(recurrence, start, atMs(from, timezone)), looked = 0;
    looked < LOOK_STEPS;
    step++, looked++
  ) {
    const next = daysOf(recurrence, start, step)
      .map((day) => day.toZonedDateTime({ timeZone: timezone, plainTime: start.toPlainTime() }).epochMilliseconds)
      .find((ms) => ms > from && ms >= recurrence.startDateMs);
    if (next === undefined) continue;
    return untilDateMs !== null && next > untilDateMs ? null : next;
  }
  return null;
}

/** A step that is not after the one that is looked for. */
function firstStep(
  { frequency, interval }: Recurrence,
  start: Temporal.ZonedDateTime,
  from: Temporal.ZonedDateTime,
): number {
  const first = start.toPlainDate();
  const day = from.toPlainDate();
  const days = first.until(day, { largestUnit: "days" }).days;
  const months = (day.year - first.year) * 12 + day.month - first.month;
  const passed = frequency === "monthly" ? months : frequency === "weekly" ? Math.floor(days / 7) : days;
  return Math.max(0, Math.floor(passed / interval) - 1);
}

/** The days of a step, in order: a day, or those of a week or a month. */
function daysOf(recurrence: Recurrence, start: Temporal.ZonedDateTime, step: number): Temporal.PlainDate[] {
  const { frequency, interval, byweekday, bysetpos } = recurrence;
  const first = start.toPlainDate();
  if (frequency === "daily") {
    const day = first.add({ days: step * interval });
    return byweekday === null || byweekday.includes(day.dayOfWeek) ? [day] : [];
  }
  if (frequency === "weekly") {
    const monday = first.subtract({ days: first.dayOfWeek - 1 }).add({ weeks: step * interval });
    return (byweekday ?? [first.dayOfWeek]).toSorted((a, b) => a - b).map((day) => monday.add({ days: day - 1 }));
  }
  const month = first.with({ day: 1 }).add({ months: step * interval });
  if (byweekday === null) return [month.with({ day: first.day })];
  const days = Array.from({ length: month.daysInMonth }, (_, i) => month.add({ days: i }));
  const chosen = days.filter((day) => byweekday.includes(day.dayOfWeek));
  if (bysetpos === null) return chosen;
  const one = chosen.at(bysetpos > 0 ? bysetpos - 1 : bysetpos);
  return one === undefined ? [] : [one];
}
