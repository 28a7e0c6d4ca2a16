import { afterAll, describe, expect, test } from "bun:test";
import type { QueryRecords } from "../../src/query/mod.ts";
import { type Json, personIdOf } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { hogql, NO_STEP, trends } from "./support.ts";
import { NOW, node, openTrendsScene } from "./trendsScene.ts";

const { lake, ask } = await openTrendsScene();
afterAll(() => lake.close());

const RECORDS: QueryRecords = {
  ...NO_RECORDS,
  action: () => ({ id: 1, name: "signed up", steps: [{ ...NO_STEP, event: "sign up" }] }),
  cohort: () => ({
    id: 1,
    name: "all",
    isStatic: true,
    properties: null,
    personIds: [personIdOf(1, "a")],
  }),
};
const IS_X = { key: "s", type: "event", value: "x" };
const SUM = node("sign up", { math: "sum", math_property: "v" });
const FIRST = node(null, { math: "first_time_for_user" });
const WEEKLY = node(null, { math: "weekly_active" });
const FILTERS: { [key: string]: Json }[] = [
  { value: "x" },
  { value: ["x", "y"] },
  { value: "x", operator: "is_not" },
  { value: ["x", ""], operator: "is_not" },
  { operator: "is_set" },
  { operator: "is_not_set" },
];

describe("the HogQL of a trend", () => {
  const NEW_YORK = { nowMs: NOW, timezone: "America/New_York" };
  const dateRange = { date_from: "2019-12-30", date_to: "2020-01-03" };

  test.each<[string, { [key: string]: Json }]>([
    ...["minute", "hour", "day", "week", "month", "quarter", "year"].map((interval): [string, { interval: string }] => [
      `by ${interval}`,
      { interval },
    ]),
    ["of all events", { series: [node(null)] }],
    ["of persons", { series: [node("sign up", { math: "dau" })] }],
    ["of persons in the bucket", { series: [node("sign up", { math: "weekly_active" })], interval: "month" }],
    ["of several series", { series: [node("sign up"), node("other", { math: "dau" })] }],
    ["of a total", { trendsFilter: { display: "BoldNumber" } }],
    ["of a total of several series", { series: [node("sign up"), SUM], trendsFilter: { display: "BoldNumber" } }],
    ["of other maths in one scan", { series: [node("sign up"), SUM] }],
    ["of maths with scans of their own", { series: [node("sign up"), FIRST, SUM], interval: "week" }],
    ["of windows of days", { series: [node("sign up", { math: "weekly_active" })] }],
    ["of two periods", { compareFilter: { compare: true } }],
    ["by a property", { series: [node(null), node(null, { math: "dau" })], breakdownFilter: { breakdown: "s" } }],
    ["by bins", { series: [node(null)], breakdownFilter: { breakdown: "v", breakdown_histogram_bin_count: 3 } }],
    ["of windows by a property", { series: [WEEKLY], breakdownFilter: { breakdown: "s" } }],
    ["of first times by a property", { series: [FIRST], breakdownFilter: { breakdown: "s" } }],
    ["of groups", { aggregation_group_type_index: 0, series: [node(null), node("sign up", { math: "dau" })] }],
    ...FILTERS.map((filter): [string, { [key: string]: Json }] => [
      `of ${JSON.stringify(filter)}`,
      { properties: [{ key: "s", type: "event", ...filter }] },
    ]),
    ["of filters of the series", { series: [node("sign up", { properties: [IS_X] }), node(null)] }],
    ["of any of some filters", { properties: { type: "OR", values: [IS_X, { ...IS_X, value: "y" }] } }],
    ["of an action", { series: [{ kind: "ActionsNode", id: 1 }, node("other")] }],
    ["in cohorts", { breakdownFilter: { breakdown_type: "cohort", breakdown: [1, "all"] } }],
    ["of a filter of persons", { properties: [{ ...IS_X, type: "person", operator: "is_not" }] }],
    ["of a filter in HogQL", { properties: [{ type: "hogql", key: "properties.s = 'x' or event = 'other'" }] }],
    ["of an aggregate in HogQL", { series: [node("sign up", { math: "hogql", math_hogql: "count() * 2" })] }],
    ["of a multiple", { series: [{ ...SUM, math_multiplier: 2 }] }],
    ["by HogQL", { series: [node(null)], breakdownFilter: { breakdown_type: "hogql", breakdown: "properties.v" } }],
    ["by a URL", { series: [node(null)], breakdownFilter: { breakdown: "s", breakdown_normalize_url: true } }],
  ])("%s gives the same numbers", async (_, query) => {
    for (const weekStartDay of [0, 1] as const) {
      const options = { ...NEW_YORK, records: RECORDS, weekStartDay };
      const asked = { series: [node("sign up")], interval: "day", dateRange, ...query };
      const { hogql: text, results: items } = await trends(lake, asked, options);
      const { columns, results } = await hogql(lake, text!, options);
      const expected = items.flatMap((item): unknown[][] => {
        const { aggregated_value: total, data, days, breakdown_value: value } = item;
        if (value === 1 || value === "all") return data!.map((n, i) => [value === 1 ? 0 : 1, days[i], n]);
        const line = item.order + (item.compare_label === "previous" ? asked.series.length : 0);
        const key = value === undefined ? [] : [value].flat();
        if (total !== undefined) return [[line, null, total, ...key]];
        return data!.map((number, i) => [line, days[i], number, ...key]);
      });
      const [{ days }] = items as [(typeof items)[0]];
      const found = numbersOf(columns, results, days[0]?.length ?? 0).filter(isSome);
      expect(found.length).toBeGreaterThan(0);
      expect(found.toSorted()).toEqual(expected.filter(isSome).toSorted());
    }
  });

  test("is what PostHog's form of it looks like", async () => {
    expect((await ask({ series: [node("it's", { math: "dau" })] })).hogql).toBe(
      "SELECT toStartOfDay(timestamp) AS bucket, count(DISTINCT person_id) AS value FROM events WHERE " +
        "and(greaterOrEquals(timestamp, '2020-01-01T00:00:00Z'), less(timestamp, '2020-01-05T00:00:00Z'), " +
        "equals(event, 'it\\'s')) GROUP BY bucket LIMIT 4",
    );
  });

  test.each<[{ [key: string]: Json }]>([
    [{ trendsFilter: { formula: "A * 2" } }],
    [{ trendsFilter: { smoothingIntervals: 2 } }],
    [{ trendsFilter: { display: "ActionsLineGraphCumulative" } }],
  ])("tells the numbers before what is made of them: %j", async (query) => {
    const { hogql: text } = await ask({ series: [node("sign up")] });
    expect(await ask({ series: [node("sign up")], ...query })).toHaveProperty("hogql", text);
  });
});

/** Rows (line, day, value, values of the breakdown), whichever form the text has. */
function numbersOf(columns: readonly string[], rows: readonly unknown[][], dayLength: number): unknown[][] {
  // As the axis shows them: a date, for parts of a day with the time.
  const shown = (bucket: unknown) => (bucket === null ? null : String(bucket).replace("T", " ").slice(0, dayLength));
  if (columns[0] === "line") return rows.map(([line, bucket, ...rest]) => [line, shown(bucket), ...rest]);
  const isTotal = columns[0] !== "bucket";
  return rows.flatMap((row) => {
    const values = isTotal ? row : row.slice(1);
    return values.map((value, line) => [line, isTotal ? null : shown(row[0]), value]);
  });
}

const isSome = ([, , value]: unknown[]): boolean => value !== 0 && value !== null;
