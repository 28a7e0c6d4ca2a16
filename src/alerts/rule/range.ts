import type { AlertRule } from "../../metadata/mod.ts";
import { TerminalError } from "../../types/mod.ts";

/** The intervals of a trend. */
export const TREND_INTERVALS = ["minute", "hour", "day", "week", "month"] as const;
export type TrendInterval = (typeof TREND_INTERVALS)[number];

/** As relative dates of queries name them. */
const UNITS: Record<TrendInterval, string> = { minute: "M", hour: "h", day: "d", week: "w", month: "m" };
const PER_WEEK: Partial<Record<TrendInterval, number>> = { hour: 168, day: 7, week: 1 };

/** How many intervals are in a week. Throws TerminalError `alert_rule` for those that weeks cannot be compared by. */
export function perWeek(interval: TrendInterval): number {
  const count = PER_WEEK[interval];
  if (count !== undefined) return count;
  throw new TerminalError("alert_rule", `Weeks cannot be compared by ${interval}: choose hours, days or weeks.`);
}

/** A range that begins so many of them ago begins within one, and has only a part of it. */
const CUT: ReadonlySet<TrendInterval> = new Set(["week", "month"]);

/**
 * Where the trend must begin, as a relative date, so that all intervals that are needed are whole; the present one comes besides.
 * `smoothedOver`: a value is the average of so many. Throws TerminalError `alert_rule`.
 */
export function dateFromOf(rule: AlertRule, interval: TrendInterval, smoothedOver = 1): string {
  const count = intervalsBefore(rule, interval) + (smoothedOver - 1) + (CUT.has(interval) ? 1 : 0);
  return `-${count}${UNITS[interval]}`;
}

/** Complete intervals that are needed. */
function intervalsBefore({ condition, detector }: AlertRule, interval: TrendInterval): number {
  if (detector !== null) return detector.weeks * perWeek(interval) + 1;
  return condition === "absolute_value" ? 1 : 2;
}
