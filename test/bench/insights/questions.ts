import type { QueryResponse } from "../../../src/query/mod.ts";
import { DAY_MS, type JsonObject } from "../../../src/types/mod.ts";
import type { ClickHouseTables } from "../clickhouse/tables.ts";
import { untilMs, type Vocabulary } from "../dataset/vocabulary.ts";
import { activeDaysOf, brokenFunnelOf, funnelOf, lifecycleOf, pathsOf, retentionOf } from "./posthogSql.ts";

/** A question as Weir and as ClickHouse are asked it. */
export interface InsightQuestion {
  node: JsonObject;
  /** What is compared of Weir's answer. */
  rows(response: QueryResponse): unknown[][];
  clickhouse(t: ClickHouseTables): string;
}

type Items<T> = T[];
const itemsOf = <T>({ results }: QueryResponse) => results as unknown as Items<T>;

interface Step {
  count: number;
  breakdown_value?: string[];
}

export function insightQuestions(v: Vocabulary): Record<string, InsightQuestion> {
  const { page, started, paid } = v.names;
  const dayOf = (n: number) => new Date(v.fromMs + n * DAY_MS).toISOString().slice(0, 10);
  const lastDay = (untilMs(v) - v.fromMs) / DAY_MS - 1;
  const all = { date_from: dayOf(0), date_to: dayOf(lastDay) };
  const month = { date_from: dayOf(30), date_to: dayOf(59) };
  const series = (...names: string[]) => names.map((event) => ({ kind: "EventsNode", event }));
  const steps = [page, started, paid];
  const funnel = (more: JsonObject, names = steps): JsonObject => ({
    kind: "FunnelsQuery",
    series: series(...names),
    dateRange: all,
    ...more,
  });
  const counts = (response: QueryResponse) => [itemsOf<Step>(response).map(({ count }) => count)];
  const brokenCounts = (response: QueryResponse) =>
    itemsOf<Step[]>(response)
      .map((broken) => [String(broken[0]!.breakdown_value), ...broken.map(({ count }) => count)])
      .toSorted(([a], [b]) => (a! < b! ? -1 : 1));
  const chrome = [{ type: "event", key: "$browser", operator: "exact", value: "Chrome" }];
  const isChrome = (t: ClickHouseTables) => `${t.text("$browser")} = 'Chrome'`;
  const five = [page, started, paid, "$autocapture", "$pageleave"];
  const seriesRows = (response: QueryResponse) => itemsOf<{ data: number[] }>(response).map(({ data }) => data);
  const retention = (period: "Day" | "Week", totalIntervals: number, event: string): InsightQuestion => ({
    node: {
      kind: "RetentionQuery",
      dateRange: { date_to: dayOf(lastDay) },
      retentionFilter: {
        period,
        totalIntervals,
        targetEntity: { id: event, type: "events" },
        returningEntity: { id: event, type: "events" },
      },
    },
    rows: (response) => matrixRows(itemsOf<{ values: { count: number }[] }>(response)),
    clickhouse: (t) => retentionOf(t, { event, period, intervals: totalIntervals, untilMs: untilMs(v) }),
  });
  return {
    "funnel of three steps, with times": {
      node: funnel({}),
      rows: counts,
      clickhouse: (t) => funnelOf(t, { ...all, steps }),
    },
    "funnel of five steps": {
      node: funnel({}, five),
      rows: counts,
      clickhouse: (t) => funnelOf(t, { ...all, steps: five }),
    },
    "funnel of three steps with a filter": {
      node: funnel({ properties: chrome }),
      rows: counts,
      clickhouse: (t) => funnelOf(t, { ...all, steps, more: isChrome(t) }),
    },
    "funnel by browser, first touch": {
      node: funnel({ breakdownFilter: { breakdown: "$browser", breakdown_type: "event" } }),
      rows: brokenCounts,
      clickhouse: (t) => brokenFunnelOf(t, { ...all, steps, value: t.text("$browser") }),
    },
    "retention by day": retention("Day", 30, page),
    "retention by week": retention("Week", 12, started),
    "stickiness by day": {
      node: { kind: "StickinessQuery", series: series(page), interval: "day", dateRange: all },
      rows: seriesRows,
      clickhouse: (t) => activeDaysOf(t, { ...all, event: page, days: lastDay + 1 }),
    },
    "lifecycle by day": {
      node: { kind: "LifecycleQuery", series: series(page), interval: "day", dateRange: all },
      rows: seriesRows,
      clickhouse: (t) => lifecycleOf(t, { ...all, event: page, madeMs: v.fromMs }),
    },
    "paths between pages": {
      node: {
        kind: "PathsQuery",
        dateRange: month,
        pathsFilter: { includeEventTypes: ["custom_event"], stepLimit: 5, edgeLimit: 50 },
      },
      rows: (response) =>
        itemsOf<{ source: string; target: string; value: number; average_conversion_time: number }>(response).map(
          ({ source, target, value, average_conversion_time: ms }) => [source, target, value, ms],
        ),
      clickhouse: (t) => pathsOf(t, { ...month, stepLimit: 5, edgeLimit: 50 }),
    },
  };
}

/** Of each cohort its counts up to the end of the range. */
function matrixRows(items: { values: { count: number }[] }[]): unknown[][] {
  return items.map(({ values }, i) => values.slice(0, items.length - i).map(({ count }) => count));
}
