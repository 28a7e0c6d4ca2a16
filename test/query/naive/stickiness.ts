import type { TestEvent } from "../../support/memoryLake.ts";
import { DAY_MS, dateOf, HOUR_MS, MINUTE_MS, wallOf } from "./clock.ts";
import { passes } from "./filters.ts";
import { HOGQL_VALUES } from "./hogql.ts";
import { actorOf, isMeant, type NaiveSeries } from "./math.ts";
import { bucketsOf, earlierPeriod, type Interval, type NaivePeriod, type NaiveRange, periodOf } from "./periods.ts";
import { firstWholeDay } from "./trends.ts";
import type { NaiveFilter, World } from "./world.ts";

// A StickinessQuery by plain loops over actors and intervals (docs/queries.md#stickinessquery).

type Operator = "gte" | "lte" | "exact";

export interface NaiveStickiness {
  series: NaiveSeries[];
  interval: Interval;
  intervalCount: number | null;
  dateRange: NaiveRange;
  properties: NaiveFilter[];
  filterTestAccounts: boolean;
  aggregation_group_type_index: number | null;
  compareFilter: { compare: boolean; compare_to?: string } | null;
  stickinessFilter: {
    computedAs?: "cumulative" | "non_cumulative";
    stickinessCriteria?: { operator: Operator; value: number };
  };
}

export interface NaiveBars {
  order: number;
  period: "current" | "previous";
  /** The actors behind each bar. */
  bars: Set<string>[];
  /** All who were active. */
  count: number;
}

export function evaluateStickiness(query: NaiveStickiness, world: World): NaiveBars[] {
  const { dateRange, interval, compareFilter } = query;
  const current = periodOf(dateRange, interval, false, world);
  const periods: [NaiveBars["period"], NaivePeriod][] = [["current", current]];
  if (compareFilter?.compare) {
    const to = compareFilter.compare_to ?? null;
    periods.push(["previous", earlierPeriod(current, dateRange, interval, false, to, world.timezone)]);
  }
  return query.series.flatMap((series, order) =>
    periods.map(([label, period]) => ({ order, period: label, ...barsOf(series, period, query, world) })),
  );
}

function barsOf(series: NaiveSeries, asked: NaivePeriod, query: NaiveStickiness, world: World) {
  const buckets = bucketsOf(asked, query.interval, world);
  const period = firstWholeDay(asked, query.interval, false, world);
  const filters = [
    ...query.properties,
    ...series.properties,
    ...(query.filterTestAccounts ? world.testAccountFilters : []),
  ];
  const events = world.events.filter(
    (event) =>
      event.timestampMs >= period.fromMs &&
      event.timestampMs <= period.toMs &&
      isMeant(event, series, world) &&
      passes(event, filters, world),
  );
  const intervalOf = (event: TestEvent): number => {
    if (query.intervalCount === null) return buckets.findIndex((bucket) => bucket.holds(event.timestampMs));
    return Math.floor(wholeIntervals(event.timestampMs, asked, query.interval, world) / query.intervalCount);
  };
  const groupIndex = query.aggregation_group_type_index;
  const who = (event: TestEvent): string | null =>
    series.math === "hogql"
      ? HOGQL_VALUES.get(series.math_hogql!)!(event)
      : actorOf(
          event,
          { ...series, math: series.math === "unique_group" ? "unique_group" : "dau" },
          { world, groupIndex },
        );
  const found = new Map<string, number>();
  for (const [actor, own] of Map.groupBy(events, who)) {
    const active = [...Map.groupBy(own, intervalOf).values()].filter((of) => isEnough(of.length, query));
    if (actor !== null && active.length > 0) found.set(actor, active.length);
  }
  const length = Math.ceil(buckets.length / (query.intervalCount ?? 1));
  const isIn = (count: number, bar: number) =>
    query.stickinessFilter.computedAs === "cumulative" ? count >= bar : count === bar;
  const bars = Array.from({ length }, (_, i) => {
    return new Set([...found].filter(([, count]) => isIn(count, i + 1)).map(([actor]) => actor));
  });
  return { bars, count: found.size };
}

function isEnough(events: number, { stickinessFilter: { stickinessCriteria: criteria } }: NaiveStickiness): boolean {
  if (criteria === undefined) return events > 0;
  const { operator, value } = criteria;
  return operator === "gte" ? events >= value : operator === "lte" ? events <= value : events === value;
}

/** How many whole intervals lie between an instant and the end of a period. */
function wholeIntervals(ms: number, { toMs, toWall }: NaivePeriod, interval: Interval, { timezone }: World): number {
  if (interval === "hour") return Math.floor((toMs - ms) / HOUR_MS);
  if (interval === "minute") return Math.floor((toMs - ms) / MINUTE_MS);
  const wall = wallOf(ms, timezone);
  const days = (dateOf(toWall) - dateOf(wall)) / DAY_MS;
  if (interval === "day") return days;
  if (interval === "week") return Math.floor(days / 7);
  const [from, to] = [new Date(wall), new Date(toWall)];
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const whole = months - (to.getUTCDate() < from.getUTCDate() ? 1 : 0);
  return Math.floor(whole / (interval === "month" ? 1 : interval === "quarter" ? 3 : 12));
}
