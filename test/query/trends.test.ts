import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runQuery } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { contextOf, emptyLake, failure, hogql, trends } from "./support.ts";

const at = (day: number, hour = 12) => Date.UTC(2020, 0, day, hour);
const NOW = at(4, 13);

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open([
    { event: "sign up", distinctId: "a", timestampMs: at(1), properties: { v: 1, s: "x", $session_id: "s1" } },
    { event: "sign up", distinctId: "a", timestampMs: at(1, 23), properties: { v: 2, s: "y" } },
    { event: "sign up", distinctId: "b", timestampMs: at(2), properties: { v: "3", s: null } },
    { event: "sign up", distinctId: "a", timestampMs: at(3, 0), properties: { v: "no number", s: "" } },
    { event: "other", distinctId: "c", timestampMs: at(3), properties: { v: 10 } },
  ]);
});
afterAll(() => lake.close());

const node = (event: string | null, more: { [key: string]: Json } = {}) => ({ kind: "EventsNode", event, ...more });
const ask = (query: { [key: string]: Json }) =>
  trends(lake, { dateRange: { date_from: "-3d" }, ...query }, { nowMs: NOW });

test("an item has the shape that PostHog's clients read", async () => {
  const response = await ask({
    series: [node("sign up", { custom_name: "Sign-ups", math: "total" })],
    interval: "day",
  });
  expect(response).toEqual({
    hogql: expect.stringContaining("count() AS value FROM events"),
    results: [
      {
        data: [2, 1, 1, 0],
        labels: ["1-Jan-2020", "2-Jan-2020", "3-Jan-2020", "4-Jan-2020"],
        days: ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"],
        count: 4,
        label: "sign up",
        action: {
          days: ["2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", "2020-01-03T00:00:00Z", "2020-01-04T00:00:00Z"],
          id: "sign up",
          type: "events",
          order: 0,
          name: "sign up",
          custom_name: "Sign-ups",
          math: "total",
          math_property: null,
          math_hogql: null,
          math_group_type_index: null,
          properties: {},
        },
        filter: {
          insight: "TRENDS",
          date_from: "2020-01-01T00:00:00Z",
          date_to: "2020-01-04T23:59:59.999999Z",
          interval: "day",
          entity_type: "events",
        },
        order: 0,
      },
    ],
    hasMore: false,
    timings: [{ k: "query", t: expect.any(Number) }],
    modifiers: { personsOnEventsMode: "person_id_override_properties_joined" },
    error: null,
    resolved_date_range: { date_from: "2020-01-01T00:00:00Z", date_to: "2020-01-04T23:59:59.999999Z" },
  });
});

test("several series come in the order asked, all events among them, an unknown event as zeros", async () => {
  const { results } = await ask({
    series: [node("sign up", { math: "dau" }), node(null), node("none"), node("other")],
  });
  expect(results.map((item) => [item.label, item.order, item.data])).toEqual([
    ["sign up", 0, [1, 1, 1, 0]],
    ["All events", 1, [2, 1, 2, 0]],
    ["none", 2, [0, 0, 0, 0]],
    ["other", 3, [0, 0, 1, 0]],
  ]);
});

test("running totals count each person once", async () => {
  const series = [node("sign up"), node("sign up", { math: "dau" })];
  const { results } = await ask({ series, trendsFilter: { display: "ActionsLineGraphCumulative" } });
  expect(results.map((item) => [item.data, item.count])).toEqual([
    [[2, 3, 4, 4], 4],
    [[1, 2, 2, 2], 2],
  ]);
});

test("a total has a number and no axis", async () => {
  for (const display of ["BoldNumber", "ActionsPie", "ActionsBarValue", "ActionsTable"]) {
    const { results } = await ask({
      series: [node("sign up"), node("sign up", { math: "dau" })],
      trendsFilter: { display },
      dateRange: { date_from: "2020-01-01" },
    });
    expect(results.map((item) => item.aggregated_value)).toEqual([4, 2]);
    expect(results[0]).toMatchObject({ data: [], days: [], count: 0 });
    expect(results[0]!.labels).toBeUndefined();
  }
});

test.each([
  ["sum", [3, 3, 0, 0]],
  ["avg", [1.5, 3, 0, 0]],
  ["max", [2, 3, 0, 0]],
  ["median", [1.5, 3, 0, 0]],
])("the math %s of a property skips what is no number", async (math, data) => {
  const { results } = await ask({ series: [node("sign up", { math, math_property: "v" })] });
  expect(results[0]!.data).toEqual(data);
});

test("sessions: a missing id counts as one", async () => {
  const { results } = await ask({ series: [node("sign up", { math: "unique_session" })] });
  expect(results[0]!.data).toEqual([2, 1, 1, 0]);
});

test("dau can count distinct ids", async () => {
  const shared = await MemoryLake.open(
    ["a", "b"].map((distinctId) => ({ event: "e", distinctId, personId: crypto.randomUUID(), timestampMs: at(3) })),
  );
  const { results } = await trends(
    shared,
    { series: [node("e", { math: "dau" })] },
    { nowMs: NOW, aggregateByDistinctId: true },
  );
  expect(results[0]!.count).toBe(2);
  await shared.close();
});

test("all: from the first event that a series counts", async () => {
  const { results } = await ask({ series: [node("other")], dateRange: { date_from: "all" } });
  expect(results[0]!.days).toEqual(["2020-01-03", "2020-01-04"]);
  expect(results[0]!.data).toEqual([1, 0]);
});

test("weeks begin with the day of date_from in the count, with the week on the axis", async () => {
  const { results } = await ask({
    series: [node("sign up")],
    interval: "week",
    dateRange: { date_from: "2020-01-02", date_to: "2020-01-04" },
  });
  expect([results[0]!.days, results[0]!.data]).toEqual([["2019-12-29"], [2]]);
});

describe("property filters", () => {
  const s = (operator: string, value: Json = null) => ({ key: "s", type: "event", operator, value });
  const v = (operator: string, value: Json = null) => ({ key: "v", type: "event", operator, value });
  // Values of s: "x", "y", null, ""; of v: 1, 2, "3", "no number".
  test.each<[string, Json, number]>([
    ["none", [], 4],
    ["an empty group", { type: "AND", values: [] }, 4],
    ["an empty OR group", { type: "OR", values: [] }, 4],
    ["nothing in a filter", [{}], 4],
    ["no value", [s("exact")], 4],
    ["an empty list", [s("exact", [])], 4],
    ["type empty", [{ type: "empty" }], 4],
    ["exact", [s("exact", "x")], 1],
    ["exact without operator and type", [{ key: "s", value: "x" }], 1],
    ["exact of a list", [s("exact", ["x", "y"])], 2],
    ["exact of an empty text", [s("exact", "")], 1],
    ["exact of a number", [v("exact", 3)], 1],
    ["exact of a number as text", [v("exact", "1")], 1],
    ["exact of a mixed list", [v("exact", [1, "2"])], 2],
    ["in", [s("in", ["x"])], 1],
    ["is_not passes what is missing", [s("is_not", "x")], 3],
    ["is_not of a list", [s("is_not", ["x", "y"])], 2],
    ["is_not of a number", [v("is_not", 1)], 3],
    ["not_in", [s("not_in", ["x", ""])], 2],
    ["gt", [v("gt", 1)], 2],
    ["gte", [v("gte", "2")], 2],
    ["lt", [v("lt", 2)], 1],
    ["lte", [v("lte", 2)], 2],
    ["min", [v("min", 2)], 2],
    ["between", [v("between", [1, 2])], 2],
    ["not_between", [v("not_between", [1, 2])], 1],
    ["is_set counts the empty text", [s("is_set")], 3],
    ["is_not_set", [s("is_not_set")], 1],
    ["icontains", [s("icontains", "X")], 1],
    ["icontains of a list", [s("icontains", ["X", "Y"])], 2],
    ["icontains keeps the user's wildcards", [s("icontains", "%")], 3],
    ["not_icontains", [s("not_icontains", "X")], 3],
    ["regex", [s("regex", "^[xy]$")], 2],
    ["not_regex", [s("not_regex", "^[xy]$")], 2],
    ["two filters", [s("is_set"), v("gt", 1)], 1],
    ["OR", { type: "OR", values: [s("exact", "x"), s("exact", "y")] }, 2],
    [
      "groups in groups",
      { type: "AND", values: [{ type: "OR", values: [s("exact", "x"), v("gt", 2)] }, v("lt", 3)] },
      1,
    ],
  ])("%s", async (_, properties, count) => {
    const ofQuery = await ask({ series: [node("sign up")], properties });
    expect(ofQuery.results[0]!.count).toBe(count);
    // Beside another series the same filter stands in FILTER, not in WHERE.
    const ofSeries = await ask({ series: [node("sign up", { properties }), node("other")] });
    expect(ofSeries.results.map((item) => item.count)).toEqual([count, 1]);
  });

  test("of the environment's test accounts", async () => {
    const context = { nowMs: NOW, testAccountFilters: [{ key: "s", operator: "is_not", value: "x" }] };
    const query = { series: [node("sign up")], dateRange: { date_from: "-3d" } };
    expect((await trends(lake, { ...query, filterTestAccounts: true }, context)).results[0]!.count).toBe(3);
    expect((await trends(lake, query, context)).results[0]!.count).toBe(4);
  });
});

describe("what is not supported is refused by name", () => {
  const series = [node("sign up")];
  test.each<[{ [key: string]: Json }, string]>([
    [{ series, interval: "fortnight" }, 'interval: the interval "fortnight" is not supported yet'],
    [
      { series, trendsFilter: { display: "BoxPlot" } },
      'trendsFilter.display: the display "BoxPlot" is not supported yet',
    ],
    [{ series, trendsFilter: { formula: "A + B" } }, "trendsFilter.formula: there is no series B"],
    [{ series, trendsFilter: { formula: "A + (" } }, "trendsFilter.formula: unexpected the end at character 6"],
    [{ series, trendsFilter: { formulas: ["A", "A ^ 2"] } }, 'trendsFilter.formulas.1: unexpected "^" at character 3'],
    [
      { series, trendsFilter: { smoothingIntervals: 0 } },
      "trendsFilter.smoothingIntervals: Expected integer to be greater or equal to 1, not 0",
    ],
    [
      { series, breakdownFilter: { breakdown: "x", breakdown_type: "data_warehouse" } },
      'breakdownFilter: a breakdown of type "data_warehouse" is not supported yet',
    ],
    [
      { series, breakdownFilter: { breakdown: [7], breakdown_type: "cohort" } },
      "breakdownFilter.breakdown: there is no cohort 7",
    ],
    [
      { series, breakdownFilter: { breakdown: "x", breakdown_type: "recording" } },
      'breakdownFilter.type: a property of type "recording" is not supported yet',
    ],
    [
      { series, compareFilter: { compare: true, compare_to: "soon" } },
      'compareFilter.compare_to: must be like -1w, not "soon"',
    ],
    [{ series, samplingFactor: 2 }, "samplingFactor: Expected number to be less or equal to 1, not 2"],
    [{ series: [node("e", { math: "hogql" })] }, 'series.0.math_hogql: the math "hogql" needs an expression'],
    [
      { series: [node("e", { math: "hogql", math_hogql: "event" })] },
      "series.0.math_hogql: must be an aggregate, like count()",
    ],
    [{ series: [node("e", { math: "unique_group" })] }, "series.0.math_group_type_index: must be 0 to 4, not nothing"],
    [{ series: [node("e", { math: "exotic" })] }, 'series.0.math: the math "exotic" is not supported yet'],
    [
      {
        series: [node("e", { math: "sum", math_property: "p", math_property_revenue_currency: { static: "EUR" } })],
      },
      "series.0.math_property_revenue_currency: converting currencies is not supported yet",
    ],
    [{ series: [node("e", { math: "sum" })] }, 'series.0.math_property: the math "sum" needs a property'],
    [{ series: [{ kind: "DataWarehouseNode", id: 1 }] }, "series.0.kind: DataWarehouseNode is not supported yet"],
    [
      { series, properties: [{ key: "x", type: "session", value: "y" }] },
      'properties.0.key: sessions have no "x" here',
    ],
    [
      { series, properties: [{ key: "x", type: "recording", value: "y" }] },
      'properties.0.type: a property of type "recording" is not supported yet',
    ],
    [{ series, properties: [{ key: "id", type: "cohort", value: 7 }] }, "properties.0.value: there is no cohort 7"],
    [
      { series, properties: [{ key: "x", type: "group", value: "y" }] },
      "properties.0.group_type_index: must be 0 to 4, not null",
    ],
    [
      { series, properties: [{ key: "x", type: "group", group_type_index: 5, value: "y" }] },
      "properties.0.group_type_index: must be 0 to 4, not 5",
    ],
    [
      { series, properties: [{ key: "x", operator: "flag_evaluates_to", value: "1" }] },
      'properties.0.operator: the operator "flag_evaluates_to" is not supported yet',
    ],
    [
      { series, properties: [{ key: "x", operator: "semver_eq", value: "new" }] },
      'properties.0.value: "new" is not a version',
    ],
    [
      { series, properties: [{ key: "x", operator: "is_date_after", value: "soon" }] },
      'properties.0.value: "soon" is not a date',
    ],
    [
      { series, properties: [{ key: "x", operator: "in", value: "y" }] },
      'properties.0.value: must be a list for the operator "in"',
    ],
    [
      { series, properties: [{ key: "x", operator: "between", value: [2, 1] }] },
      "properties.0.value: between needs two numbers, the smaller first",
    ],
    [
      { series, properties: [{ key: "x", value: { a: 1 } }] },
      'properties.0.value: must be a string, a number or a list, not {"a":1}',
    ],
    [{ series, properties: "x" }, 'properties: a filter must be an object, not "x"'],
    [{ series: "x" }, 'series: Expected array, not "x"'],
    [{ series: [{ kind: "EventsNode", event: 1 }] }, "series.0.event: Expected string, not 1"],
    [{ series: [{ kind: "EventsNode", evnt: "e" }] }, "series.0.evnt: unknown field"],
    [{ series, intervall: "day" }, "intervall: unknown field"],
    [{}, "series: Expected required property, not nothing"],
  ])("%j", async (query, message) => {
    const error = await failure(trends(emptyLake, query));
    expect([error.code, error.message]).toEqual(["invalid_query", message]);
  });

  test.each<[Json, string]>([
    [null, "query: must be an object"],
    [[], "query: must be an object"],
    [{}, "kind: is missing"],
    [{ kind: "Nope" }, 'kind: unknown kind "Nope"'],
    [{ kind: "FunnelsQuery" }, "kind: FunnelsQuery is not supported yet"],
    [{ kind: "InsightVizNode" }, "source: must be an object"],
    [{ kind: "HogQLQuery" }, "query: Expected required property, not nothing"],
  ])("%j", async (query, message) => {
    expect((await failure(runQuery(query, contextOf(emptyLake)))).message).toBe(message);
  });
});

test("wrappers give what their source gives", async () => {
  const source = { kind: "TrendsQuery", series: [node("sign up")], dateRange: { date_from: "-3d" } };
  const response = await runQuery(
    { kind: "InsightVizNode", source, showHeader: true },
    contextOf(lake, { nowMs: NOW }),
  );
  expect(response.results).toHaveLength(1);
  const table = {
    kind: "DataTableNode",
    source: { kind: "DataVisualizationNode", source: { kind: "HogQLQuery", query: "select 1" } },
  };
  expect((await runQuery(table, contextOf(lake))).results).toEqual([[1]]);
});

test("no series, no items; a range in the past has its zeros without a question to the lake", async () => {
  expect((await ask({ series: [] })).results).toEqual([]);
  const { results } = await ask({
    series: [node("sign up")],
    dateRange: { date_from: "2019-02-01", date_to: "2019-02-02" },
  });
  expect(results[0]!.data).toEqual([0, 0]);
});

test("a session is measured whole, also where it begins before the range and other events are counted", async () => {
  const session = (event: string, distinctId: string, timestampMs: number, id: string | null = distinctId) => ({
    event,
    distinctId,
    timestampMs,
    properties: id === null ? {} : { $session_id: id },
  });
  const sessions = await MemoryLake.open([
    session("begin", "a", at(2, 21)),
    session("sign up", "a", at(3, 1)),
    session("sign up", "a", at(3, 2)),
    session("sign up", "b", at(3, 5)),
    session("sign up", "b", at(3, 6)),
    session("sign up", "c", at(3, 6), null),
  ]);
  const hours = async (math: string) => {
    const series = [node("sign up", { math, math_property: "$session_duration" })];
    const response = await trends(sessions, { series, dateRange: { date_from: "2020-01-03" } }, { nowMs: NOW });
    return response.results[0]!.data!.map((seconds) => seconds / 3600);
  };
  expect(await hours("sum")).toEqual([6, 0]);
  expect(await hours("avg")).toEqual([3, 0]);
  expect(sessions.lastRange).toEqual({ fromMs: at(2, 0), toMs: at(5, 24) - 1 });
  await sessions.close();
});

test("explain tells the statement, its values and what it reads", async () => {
  const { explain } = await ask({ series: [node("sign up", { math: "dau" })], explain: true });
  expect(explain![0]).toMatch(/^Reads 1 files with events from 2020-01-01T00:00:00.000Z to 2020-01-04T23:59:59.999Z/);
  expect(explain!.some((line) => line.endsWith(' = "sign up"'))).toBe(true);
  expect(explain!.at(-1)).toContain("count_persons() FILTER (WHERE TRUE)");
  expect((await ask({ series: [node("sign up")] })).explain).toBeUndefined();

  const all = await ask({ series: [node("sign up")], dateRange: { date_from: "all" }, explain: true });
  expect(all.explain!.filter((line) => line.startsWith("Reads "))).toHaveLength(2);
  expect(all.explain![0]).toMatch(/^Reads 1 files with events from any time to any time/);
  const none = { date_from: "2020-01-04", date_to: "2020-01-03" };
  expect((await ask({ series: [node("sign up")], dateRange: none, explain: true })).explain).toEqual([
    "Reads nothing.",
  ]);
});

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
