import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { hogql, trends } from "./support.ts";
import { NOW, node, openTrendsScene } from "./trendsScene.ts";

const { lake, ask } = await openTrendsScene();
afterAll(() => lake.close());

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
  ])("%s gives the same numbers", async (_, query) => {
    for (const options of [
      { ...NEW_YORK, weekStartDay: 0 as const },
      { ...NEW_YORK, weekStartDay: 1 as const },
    ]) {
      const asked = { series: [node("sign up")], interval: "day", dateRange, ...query };
      const answer = await trends(lake, asked, options);
      const { columns, results } = await hogql(lake, answer.hogql!, options);
      // As the axis shows them: a date, for parts of a day with the time.
      const shown = (bucket: unknown) => String(bucket).replace("T", " ").slice(0, answer.results[0]!.days[0]!.length);
      const numbers = results.map(([bucket, value]) => (columns.length === 1 ? [bucket] : [shown(bucket), value]));
      const expected = answer.results.flatMap(({ aggregated_value: total, data, days }): unknown[][] =>
        total !== undefined ? [[total]] : data!.map((value, i) => [days[i], value]).filter(([, n]) => n !== 0),
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(numbers.toSorted()).toEqual(expected.toSorted());
    }
  });

  test("is what PostHog's form of it looks like", async () => {
    expect((await ask({ series: [node("it's", { math: "dau" })] })).hogql).toBe(
      "SELECT toStartOfDay(timestamp) AS bucket, count(DISTINCT person_id) AS value FROM events WHERE " +
        "and(equals(event, 'it\\'s'), greaterOrEquals(timestamp, fromUnixTimestamp64Milli(1577836800000)), " +
        "lessOrEquals(timestamp, fromUnixTimestamp64Milli(1578182399999))) GROUP BY bucket LIMIT 4",
    );
  });

  const filters = [{ key: "v", value: "1", type: "event" }];
  test.each<[{ [key: string]: Json }]>([
    [{ properties: filters }],
    [{ series: [node("sign up", { properties: filters })] }],
    [{ series: [node("sign up"), node("sign up", { math: "sum", math_property: "v" })] }],
    [{ breakdownFilter: { breakdown: "s" } }],
    [{ compareFilter: { compare: true } }],
    [{ samplingFactor: 0.5 }],
    [{ trendsFilter: { formula: "A * 2" } }],
    [{ trendsFilter: { smoothingIntervals: 2 } }],
    [{ trendsFilter: { display: "ActionsLineGraphCumulative" } }],
    [{ aggregation_group_type_index: 0, series: [node("sign up", { math: "dau" })] }],
  ])("is left out where it would not tell all: %j", async (query) => {
    expect(await ask({ series: [node("sign up")], ...query })).not.toHaveProperty("hogql");
  });
});
