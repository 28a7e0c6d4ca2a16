import { arithmetic, call, constant, list } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { type Buckets, isOfClock } from "../time/buckets.ts";
import type { Interval } from "../time/dates.ts";
import { formatIso } from "../time/zone.ts";
import { bucketOf } from "./axis.ts";

/** The units of the calendar that intervals are counted in, and how many make one. */
const STEPS: Partial<Record<Interval, [unit: string, count: number]>> = {
  day: ["day", 1],
  week: ["day", 7],
  month: ["month", 1],
  quarter: ["month", 3],
  year: ["year", 1],
};

/**
 * The number, from 0, of the bucket of a time that is not before the first one: neighbours differ by one. Of days and
 * more it is content with the day.
 */
export function bucketNumber(buckets: Buckets, time: Expression): Expression {
  const { interval, starts } = buckets;
  const [first] = starts;
  if (first === undefined) return constant(0);
  if (!isEven(buckets)) {
    const named = starts.map((start) => bucketOf({ buckets }, constant(formatIso(start))));
    return arithmetic(call("indexOf", list(...named), bucketOf({ buckets }, time)), "-", constant(1));
  }
  if (isOfClock(interval)) {
    const passed = call("dateDiff", constant("second"), call("toDateTime", constant(formatIso(first))), time);
    return divided(passed, secondsOf(buckets));
  }
  const [unit, count] = STEPS[interval]!;
  const from = call("toDate", constant(first.toPlainDate().toString()));
  return divided(call("dateDiff", constant(unit), from, call("toDate", time)), count);
}

/**
 * How many whole intervals lie between a time and the end of a range, which it is not behind. `isOfDays`: the range ends
 * with a day, so that the day of the time tells it.
 */
export function intervalsBefore(
  end: Temporal.ZonedDateTime,
  o: { interval: Interval; isOfDays: boolean },
  time: Expression,
): Expression {
  if (!o.isOfDays) return call("age", constant(o.interval), time, call("toDateTime", constant(formatIso(end))));
  const last = call("toDate", constant(end.toPlainDate().toString()));
  const [unit, count] = STEPS[o.interval]!;
  if (unit === "day") return divided(call("dateDiff", constant(unit), call("toDate", time), last), count);
  return call("age", constant(o.interval), call("toDate", time), last);
}

/** How often a number that is not negative holds another one. */
export const divided = (number: Expression, by: number): Expression =>
  by === 1 ? number : call("intDiv", number, constant(by));

const secondsOf = ({ edgesMs }: Pick<Buckets, "edgesMs">): number => (edgesMs[1]! - edgesMs[0]!) / 1000;

/** Whether the buckets are steps of the clock, or of the calendar, of which none is missing or cut. */
function isEven({ interval, starts, edgesMs }: Buckets): boolean {
  if (isOfClock(interval)) {
    const stepMs = secondsOf({ edgesMs }) * 1000;
    return edgesMs.every((edgeMs, i) => edgeMs === edgesMs[0]! + i * stepMs);
  }
  const days = starts[0]!.toPlainDate().until(starts.at(-1)!.toPlainDate()).days;
  return interval !== "day" || days === starts.length - 1;
}
