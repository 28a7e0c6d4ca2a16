import type { QueryResponse } from "../../../src/query/mod.ts";
import { DAY_MS, type JsonObject } from "../../../src/types/mod.ts";
import type { ClickHouseTables } from "../clickhouse/tables.ts";
import { busyPersonId, untilMs, type Vocabulary } from "../dataset/vocabulary.ts";
import {
  activeDaysOf,
  brokenFunnelOf,
  brokenRetentionOf,
  funnelOf,
  lifecycleOf,
  newestOf,
  pathsOf,
  retentionOf,
} from "./posthogSql.ts";

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
  const brokenFunnel = (key: string): InsightQuestion => ({
    node: funnel({ breakdownFilter: { breakdown: key, breakdown_type: "event" } }),
    rows: brokenCounts,
    clickhouse: (t) => brokenFunnelOf(t, { ...all, steps, value: t.text(key), other: "Other" }),
  });
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
    rows: (response) => matrixRows(itemsOf<Cohort>(response)),
    clickhouse: (t) => retentionOf(t, { event, period, intervals: totalIntervals, untilMs: untilMs(v) }),
  });
  const brokenRetention = (key: string): InsightQuestion => {
    const { node } = retention("Week", WEEKS, started);
    return {
      node: { ...node, breakdownFilter: { breakdown: key, breakdown_type: "event" } },
      rows: (response) => brokenMatrixRows(itemsOf<Cohort>(response)),
      clickhouse: (t) => {
        const asked = { event: started, period: "Week" as const, intervals: WEEKS, untilMs: untilMs(v) };
        return brokenRetentionOf(t, { ...asked, value: t.text(key), other: OTHER_VALUE });
      },
    };
  };
  const paths = (
    item: (t: ClickHouseTables) => string,
    condition: string,
    pathsFilter: JsonObject,
  ): InsightQuestion => ({
    node: { kind: "PathsQuery", dateRange: month, pathsFilter: { ...pathsFilter, ...LIMITS } },
    rows: (response) =>
      itemsOf<{ source: string; target: string; value: number; average_conversion_time: number }>(response).map(
        ({ source, target, value, average_conversion_time: ms }) => [source, target, value, ms],
      ),
    clickhouse: (t) => pathsOf(t, { ...month, ...LIMITS, item: item(t), condition }),
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
    "funnel by browser, first touch": brokenFunnel("$browser"),
    "funnel by path, 25 of 20,000": brokenFunnel("$pathname"),
    "retention by day": retention("Day", 30, page),
    "retention by week": retention("Week", WEEKS, started),
    "retention by week and browser": brokenRetention("$browser"),
    "retention by week and path, 25 of 20,000": brokenRetention("$pathname"),
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
    "paths between custom events": paths(() => "event", "not startsWith(event, '$')", {
      includeEventTypes: ["custom_event"],
    }),
    "paths between sections of 20,000 pages": paths(
      (t) => `replaceRegexpAll(ifNull(${t.text("$pathname")}, ''), '/page-.*', '')`,
      "true",
      {
        includeEventTypes: ["hogql"],
        pathsHogQLExpression: "properties.$pathname",
        localPathCleaningFilters: [{ regex: "/page-.*", alias: "" }],
      },
    ),
    "newest hundred events of a person": {
      node: {
        kind: "EventsQuery",
        select: LISTED,
        personId: busyPersonId(v),
        after: "all",
        orderBy: ["timestamp DESC"],
        limit: NEWEST,
      },
      rows: ({ results }) =>
        (results as unknown[][]).map(([uuid, event, distinctId, personId, timestamp, properties]) => {
          const shown = typeof properties === "string" ? properties : JSON.stringify(properties);
          return [uuid, event, distinctId, personId, Date.parse(String(timestamp)), shown];
        }),
      clickhouse: (t) => newestOf(t, { personId: busyPersonId(v), limit: NEWEST }),
    },
  };
}

const WEEKS = 12;
const LIMITS = { stepLimit: 5, edgeLimit: 50 };
const NEWEST = 100;
const LISTED = ["uuid", "event", "distinct_id", "person_id", "timestamp", "properties"];
const OTHER_VALUE = "$$_posthog_breakdown_other_$$";

interface Cohort {
  values: { count: number }[];
  breakdown_value?: string;
}

/** Of each cohort its counts up to the end of the range. */
function matrixRows(items: Cohort[]): unknown[][] {
  return items.map(({ values }, i) => values.slice(0, items.length - i).map(({ count }) => count));
}

/** The same with value and place, of cohorts with persons, in the order of the values. */
function brokenMatrixRows(items: Cohort[]): unknown[][] {
  const ofValues = Object.groupBy(items, ({ breakdown_value: value }) => String(value));
  return Object.entries(ofValues)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([value, cohorts]) => matrixRows(cohorts!).map((counts, i) => [value, i, ...counts]))
    .filter(([, , size]) => size !== 0);
}
