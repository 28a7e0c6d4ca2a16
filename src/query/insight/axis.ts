import { integer, type Sql, sql } from "../sql/sql.ts";
import { type Buckets, bucketIndex, bucketsOf, inRange, isOfClock } from "../time/buckets.ts";
import { type Calendar, type DateRange, firstInstant, type Interval, type Span } from "../time/dates.ts";
import { isDayStart } from "../time/zone.ts";

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

/** The number of a time's bucket; 0 for a total. */
export function bucketOf({ buckets }: Pick<Period, "buckets">, timestamp: Sql): Sql {
  return buckets === null ? integer(0) : bucketIndex(timestamp, buckets);
}

/** The condition that a time lies in a span. */
export function inSpan(timestamp: Sql, { fromMs, toMs }: Past): Sql {
  if (fromMs !== null) return inRange(timestamp, fromMs, toMs);
  return sql`${timestamp} < make_timestamp_ms(${integer(toMs + 1)})`;
}
