import { DAY_MS, type Json } from "../../../src/types/mod.ts";
import type { ClickHouseTables } from "../clickhouse/tables.ts";
import { untilMs, type Vocabulary } from "../dataset/vocabulary.ts";
import {
  type AskedOf,
  brokenDown,
  bucketsOf,
  conditionOf,
  firstBucketsOf,
  firstTimesOf,
  personJoin,
  runningOf,
  seriesOf,
  windowsOf,
} from "./posthogSql.ts";

/** A trend as Weir and as ClickHouse are asked it. */
export interface TrendQuestion {
  node: { [key: string]: Json };
  /** One statement for each series and period, as PostHog does it; their rows follow each other. */
  clickhouse(t: ClickHouseTables): string[];
  /** What PostHog does with the rows afterwards. */
  combined?(rows: unknown[][]): unknown[][];
}

const PERCENTILE = 0.95;

export function trendQuestions(v: Vocabulary): Record<string, TrendQuestion> {
  const { page, paid, started } = v.names;
  const { amount } = v.keys;
  const dayOf = (n: number) => new Date(v.fromMs + n * DAY_MS).toISOString().slice(0, 10);
  const lastDay = (untilMs(v) - v.fromMs) / DAY_MS - 1;
  const span = (event: string, from: number, to: number, unit: AskedOf["unit"] = "Day"): AskedOf => {
    return { event, from: dayOf(from), to: dayOf(to), unit };
  };
  const all = (event: string) => span(event, 0, lastDay);
  const month = (event: string) => span(event, 30, 59);
  /** The node of one or more series of the same range. */
  const node = (asked: AskedOf, more: { [key: string]: Json } = {}, ...series: { [key: string]: Json }[]) => ({
    kind: "TrendsQuery",
    series: (series.length > 0 ? series : [{}]).map((each) => ({ kind: "EventsNode", event: asked.event, ...each })),
    interval: asked.unit.toLowerCase(),
    // By the hour a bare day would end with its first one.
    dateRange: { date_from: asked.from, date_to: asked.unit === "Day" ? asked.to : `${asked.to} 23:59:59.999999` },
    ...more,
  });
  /** One series without a breakdown. */
  const plain = (
    asked: AskedOf,
    series: { [key: string]: Json },
    buckets: (asked: AskedOf, t: ClickHouseTables) => string,
  ): TrendQuestion => ({
    node: node(asked, {}, series),
    clickhouse: (t) => [`select total from (${seriesOf(asked, buckets(asked, t))})`],
  });
  const count = (asked: AskedOf, t: ClickHouseTables) => bucketsOf(asked, t, "count()");
  const persons = (asked: AskedOf, t: ClickHouseTables) => bucketsOf(asked, t, "count(distinct person_id)");
  const money = { math_property: amount };
  const later = span(page, 45, lastDay);
  const earlier = span(page, 0, 44);
  return {
    "total by day": plain(all(page), {}, count),
    "dau by day": plain(all(page), { math: "dau" }, persons),
    "weekly active by day": plain(month(page), { math: "weekly_active" }, (asked, t) => windowsOf(asked, t, 7)),
    "formula of two series": {
      node: node(all(paid), { trendsFilter: { formula: "A / B" } }, {}, { event: started }),
      clickhouse: (t) =>
        [all(paid), all(started)].map((asked) => `select total from (${seriesOf(asked, count(asked, t))})`),
      combined: ([a, b]) => [a!.map((value, i) => (b![i] === 0 ? 0 : Number(value) / Number(b![i])))],
    },
    "total by browser": {
      node: node(all(page), { breakdownFilter: { breakdown: "$browser", breakdown_type: "event" } }),
      clickhouse: (t) => [brokenDown(all(page), t, t.text("$browser"))],
    },
    "breakdown by path, 25 of 20,000": {
      node: node(month(page), { breakdownFilter: { breakdown: "$pathname", breakdown_type: "event" } }),
      clickhouse: (t) => [brokenDown(month(page), t, t.text("$pathname"))],
    },
    "breakdown by a person's property": {
      node: node(all(page), { breakdownFilter: { breakdown: v.tier, breakdown_type: "person" } }),
      clickhouse: (t) => [brokenDown(all(page), t, "p.found", personJoin(t, v.tier))],
    },
    "sum with a filter by day": {
      node: node(
        all(paid),
        { properties: [{ type: "event", key: "$browser", operator: "exact", value: "Chrome" }] },
        { math: "sum", ...money },
      ),
      clickhouse: (t) => {
        const sum = `ifNull(sum(${t.number(amount)}), 0)`;
        const buckets = bucketsOf(all(paid), t, sum, `and ${t.text("$browser")} = 'Chrome'`);
        return [`select total from (${seriesOf(all(paid), buckets)})`];
      },
    },
    "p95 of a number": plain(all(paid), { math: "p95", ...money }, (asked, t) =>
      // `quantile` keeps a sample, Weir all: of so few a day the sample would be all, too, but not in every size of data.
      bucketsOf(asked, t, `ifNull(quantileExactInclusive(${PERCENTILE})(${t.number(amount)}), 0)`),
    ),
    "first time for user": plain(month(page), { math: "first_time_for_user" }, firstTimesOf),
    "unique sessions by day": plain(all(page), { math: "unique_session" }, (asked, t) =>
      bucketsOf(asked, t, `count(distinct ${t.text("$session_id")})`),
    ),
    "cumulative dau": {
      node: node(all(page), { trendsFilter: { display: "ActionsLineGraphCumulative" } }, { math: "dau" }),
      clickhouse: (t) => [`select total from (${runningOf(all(page), firstBucketsOf(all(page), t))})`],
    },
    "number of persons": {
      node: node(month(page), { trendsFilter: { display: "BoldNumber" } }, { math: "dau" }),
      clickhouse: (t) => [`select count(distinct person_id) from ${t.events} where ${conditionOf(month(page), t)}`],
    },
    "compared with the previous period": {
      node: node(later, { compareFilter: { compare: true } }),
      clickhouse: (t) => [later, earlier].map((asked) => `select total from (${seriesOf(asked, count(asked, t))})`),
    },
    "hourly over a week": plain(span(page, 60, 66, "Hour"), {}, count),
  };
}
