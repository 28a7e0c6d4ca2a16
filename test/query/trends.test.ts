import { afterAll, expect, test } from "bun:test";
import { runQuery } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { contextOf, trends } from "./support.ts";
import { at, NOW, node, openTrendsScene } from "./trendsScene.ts";

const { lake, ask } = await openTrendsScene();
afterAll(() => lake.close());

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
