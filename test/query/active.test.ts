import { afterAll, describe, expect, test } from "bun:test";
import type { LifecycleResponse } from "../../src/query/kinds/lifecycle/run.ts";
import type { StickinessResponse } from "../../src/query/kinds/stickiness/run.ts";
import { closeParser, nodeOfLegacy, ParsedQuery, runQuery } from "../../src/query/mod.ts";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { countBehind } from "./activeCases.ts";
import { contextOf, failure, hogql, trends } from "./support.ts";

const at = (day: number, hour = 12) => Date.UTC(2020, 0, day, hour);
const NOW = at(8, 13);
const view = (distinctId: string, day: number, hour = 12, properties = {}) => {
  return { event: "view", distinctId, timestampMs: at(day, hour), properties };
};

const lake = await MemoryLake.open([
  view("a", 2),
  view("a", 3),
  view("a", 3, 13),
  view("a", 6, 1, { $group_0: "g" }),
  view("a2", 7),
  view("b", 4, 5, { $group_0: "g" }),
  view("b", 6, 23, { $group_0: "h" }),
  { ...view("c", 5), personMode: 1 },
]);
await lake.addPersons([
  { distinctIds: ["a", "a2"], createdAtMs: at(3) },
  { distinctIds: ["b"], createdAtMs: at(4) },
]);
await lake.addGroups([{ index: 0, key: "g", createdAtMs: at(4, 1) }]);
afterAll(async () => {
  closeParser();
  await lake.close();
});

const context = contextOf(lake, { nowMs: NOW });
const VIEW = { kind: "EventsNode", event: "view" };
const RANGE = { date_from: "2020-01-03", date_to: "2020-01-08" };
const nodeOf = (kind: string, more: JsonObject): JsonObject => ({ kind, series: [VIEW], dateRange: RANGE, ...more });
const lifecycle = async (more: JsonObject = {}) =>
  (await runQuery(nodeOf("LifecycleQuery", more), context)) as LifecycleResponse;
const stickiness = async (more: JsonObject = {}) =>
  (await runQuery(nodeOf("StickinessQuery", more), context)) as StickinessResponse;
const dataOf = ({ results }: LifecycleResponse) =>
  Object.fromEntries(results.map(({ status, data }) => [status, data]));

describe("a lifecycle", () => {
  test("tells actors by their intervals, with the one before the range", async () => {
    const { results, resolved_date_range: range } = await lifecycle();
    expect(dataOf({ results } as LifecycleResponse)).toEqual({
      // a was made on the third day, but had been there before.
      new: [0, 1, 0, 0, 0, 0],
      returning: [1, 0, 0, 0, 1, 0],
      resurrecting: [0, 0, 0, 2, 0, 0],
      dormant: [0, -1, -1, 0, -1, -1],
    });
    expect(results[3]).toMatchObject({
      label: "view - dormant",
      count: -4,
      days: ["2020-01-03", "2020-01-04", "2020-01-05", "2020-01-06", "2020-01-07", "2020-01-08"],
      action: { id: "view", name: "view", type: "events", order: 0, math: "total" },
    });
    expect(range).toEqual({ date_from: "2020-01-03T00:00:00Z", date_to: "2020-01-08T23:59:59.999999Z" });
  });

  test("of groups begins with the group; a group without a row is never new", async () => {
    expect(dataOf(await lifecycle({ aggregation_group_type_index: 0 }))).toEqual({
      new: [0, 1, 0, 0, 0, 0],
      returning: [0, 0, 0, 0, 0, 0],
      resurrecting: [0, 0, 0, 2, 0, 0],
      dormant: [0, 0, -1, 0, -2, 0],
    });
  });

  test("has as many active actors as a trend counts people who are persons", async () => {
    for (const interval of ["hour", "day", "month"]) {
      const dateRange = { date_from: "2020-01-01", date_to: "2020-01-31 23:59:59" };
      const filtered = {
        interval,
        dateRange,
        properties: [{ key: "distinct_id", type: "person", value: "c", operator: "is_not" }],
      };
      const { new: fresh, returning, resurrecting } = dataOf(await lifecycle(filtered));
      const { results } = await trends(lake, { series: [{ ...VIEW, math: "dau" }], ...filtered }, { nowMs: NOW });
      expect(fresh!.map((count, i) => count + returning![i]! + resurrecting![i]!)).toEqual(results[0]!.data!);
    }
  });

  test("of explicit dates shows no interval that begins before them", async () => {
    const cut = { dateRange: { date_from: "2020-01-03 10:00", date_to: "2020-01-05 10:00", explicitDate: true } };
    const { results } = await lifecycle(cut);
    expect(results[0]!.days).toEqual(["2020-01-04", "2020-01-05"]);
    expect(results[3]!.data).toEqual([-1, -1]);
  });

  test("of a range that is none has no buckets, and nobody behind it", async () => {
    const { results } = await lifecycle({ dateRange: { date_from: "2020-01-08", date_to: "2020-01-03" } });
    expect(results.map(({ data, count }) => [data, count])).toEqual(new Array(4).fill([[], 0]));
  });

  test("scales what a sample has, and its HogQL gives the numbers", async () => {
    const { hogql: text, results } = await lifecycle();
    const rows = (await hogql(lake, text!, { nowMs: NOW })).results as number[][];
    const returning = rows
      .map(([n, , returning]) => [n, returning])
      .filter(([, count]) => count! > 0)
      .sort();
    expect(returning).toEqual(results[1]!.data.flatMap((count, i) => (count > 0 ? [[i + 1, count]] : [])));
    expect((await lifecycle({ samplingFactor: 0.5 })).results.every(({ data }) => data.every((n) => n % 2 === 0))).toBe(
      true,
    );
  });
});

describe("who is behind a lifecycle", () => {
  const node = nodeOf("LifecycleQuery", {});
  const count = (part: JsonObject) => countBehind(node, { kind: "InsightActorsQuery", ...part }, context);

  test("every number, by a time in its bucket", async () => {
    const { results } = await lifecycle();
    for (const { status, data, days } of results) {
      for (const [i, day] of days.entries()) {
        expect(await count({ day: i % 2 === 0 ? day : `${day}T13:00:00Z`, status })).toBe(Math.abs(data[i]!));
      }
    }
    expect(await count({ status: "dormant" })).toBe(2);
    expect(await count({ day: "2020-01-07" })).toBe(2);
  });

  test("the options are the buckets and the statuses", async () => {
    const options = await new ParsedQuery(node).query.actors!.options(context);
    expect(options.day![0]).toEqual({ label: "3-Jan-2020", value: "2020-01-03" });
    expect(options.status!.map(({ value }) => value)).toEqual(["dormant", "new", "resurrecting", "returning"]);
  });

  test.each<[JsonObject, string]>([
    [{ status: "asleep" }, "source.status: must be one of"],
    [{ day: "2020-02-01" }, "source.day: there is no point of"],
    [{ day: "soon" }, "source.day: there is no point of"],
    [{ breakdown: "x" }, "source.breakdown: "],
  ])("refuses %j", async (part, message) => {
    const source = { kind: "InsightActorsQuery", source: node, ...part };
    const refused = await failure(runQuery({ kind: "ActorsQuery", source }, context));
    expect(refused.code).toBe("invalid_query");
    expect(refused.message).toStartWith(message);
  });
});

describe("stickiness", () => {
  test("counts actors by their intervals, series by series", async () => {
    const series = [VIEW, { ...VIEW, math: "unique_group", math_group_type_index: 0 }, { ...VIEW, event: "none" }];
    const { results } = await stickiness({ series });
    expect(results.map(({ data }) => data)).toEqual([
      [1, 1, 1, 0, 0, 0],
      [1, 1, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0],
    ]);
    expect(results[0]).toMatchObject({
      days: [1, 2, 3, 4, 5, 6],
      labels: ["1 day", "2 days", "3 days", "4 days", "5 days", "6 days"],
      count: 3,
      label: "view",
      action: { id: "view", type: "events", order: 0, name: "view" },
    });
  });

  test("by criteria, running sums and longer intervals", async () => {
    const criteria = { stickinessCriteria: { operator: "gte", value: 2 } };
    expect((await stickiness({ stickinessFilter: criteria })).results[0]!.data).toEqual([1, 0, 0, 0, 0, 0]);
    const { results } = await stickiness({ stickinessFilter: { computedAs: "cumulative" }, intervalCount: 4 });
    expect(results[0]).toMatchObject({ data: [3, 2], count: 3, labels: ["1 day or more", "2 days or more"] });
  });

  test("to the end of all years counts what there is", async () => {
    const dateRange = { date_from: "0000-01-01", date_to: "9999-12-31" };
    const { results } = await stickiness({ interval: "year", dateRange });
    expect([results[0]!.data.length, results[0]!.data[0], results[0]!.count]).toEqual([10_000, 3, 3]);
    expect(
      (await trends(lake, { series: [VIEW], dateRange, interval: "year" }, { nowMs: NOW })).results[0]!.count,
    ).toBe(8);
  });

  test("with both periods of each series, and no item of a deleted action", async () => {
    const { results } = await stickiness({
      series: [VIEW, { kind: "ActionsNode", id: 99 }, VIEW],
      compareFilter: { compare: true },
    });
    expect(results.map(({ action, compare_label: label }) => [action.order, label])).toEqual([
      [0, "current"],
      [0, "previous"],
      [2, "current"],
      [2, "previous"],
    ]);
  });

  test("has as many people behind each bar as it says", async () => {
    const options: JsonObject[] = [{}, { stickinessFilter: { computedAs: "cumulative" } }, { intervalCount: 2 }];
    for (const more of options) {
      const { results } = await stickiness(more);
      for (const [i, count] of results[0]!.data.entries()) {
        const part = { kind: "StickinessActorsQuery", day: i + 1 };
        expect(await countBehind(nodeOf("StickinessQuery", more), part, context)).toBe(count);
      }
    }
    const more = { kind: "StickinessActorsQuery", day: "2", operator: "gte" };
    expect(await countBehind(nodeOf("StickinessQuery", {}), more, context)).toBe(2);
  });

  test("names what can be asked for", async () => {
    const node = nodeOf("StickinessQuery", { compareFilter: { compare: true }, intervalCount: 3 });
    expect(await new ParsedQuery(node).query.actors!.options(context)).toEqual({
      day: [
        { label: "1 day", value: 1 },
        { label: "2 days", value: 2 },
      ],
      series: [{ label: "view", value: 0 }],
      compare: [
        { label: "Current", value: "current" },
        { label: "Previous", value: "previous" },
      ],
    });
  });
});

const REFUSED: [string, JsonObject, string][] = [
  ["LifecycleQuery", { series: [] }, "series: "],
  ["LifecycleQuery", { series: [VIEW, VIEW] }, "series: "],
  ["LifecycleQuery", { series: [{ ...VIEW, math: "sum" }] }, "series.0.math: "],
  ["LifecycleQuery", { series: [{ kind: "ActionsNode", id: 9 }] }, "series.0.id: there is no action 9"],
  ["LifecycleQuery", { interval: "moment" }, "interval: "],
  ["LifecycleQuery", { compareFilter: { compare: true } }, "compareFilter: unknown field"],
  ["LifecycleQuery", { lifecycleFilter: { toggledLifecycles: ["asleep"] } }, "lifecycleFilter.toggledLifecycles.0: "],
  ["LifecycleQuery", { interval: "second", dateRange: { date_from: "-9y" } }, "dateRange: "],
  ["StickinessQuery", { series: [] }, "series: "],
  ["StickinessQuery", { series: [{ ...VIEW, math: "sum", math_property: "x" }] }, "series.0.math: "],
  ["StickinessQuery", { series: [{ ...VIEW, math: "hogql" }] }, "series.0.math_hogql: "],
  ["StickinessQuery", { series: [{ ...VIEW, math: "hogql", math_hogql: "count()" }] }, "series.0.math_hogql: "],
  ["StickinessQuery", { series: [{ ...VIEW, math: "unique_group" }] }, "series.0.math_group_type_index: "],
  ["StickinessQuery", { intervalCount: 0 }, "intervalCount: "],
  ["StickinessQuery", { intervalCount: 1e300 }, "intervalCount: "],
  ["StickinessQuery", { intervalCount: 1.5 }, "intervalCount: "],
  ["StickinessQuery", { breakdownFilter: { breakdown: "x" } }, "breakdownFilter: unknown field"],
  ["StickinessQuery", { stickinessFilter: { computedAs: "both" } }, "stickinessFilter.computedAs: "],
  [
    "StickinessQuery",
    { stickinessFilter: { stickinessCriteria: { operator: "not", value: 1 } } },
    "stickinessFilter.stickinessCriteria.operator: ",
  ],
  [
    "StickinessQuery",
    { stickinessFilter: { stickinessCriteria: { operator: "gte", value: 1e12 } } },
    "stickinessFilter.stickinessCriteria.value: ",
  ],
];

test.each(REFUSED)("%s with %j is refused by its place", async (kind, more, message) => {
  const refused = await failure(runQuery(nodeOf(kind, more), context));
  expect(refused.code).toBe("invalid_query");
  expect(refused.message).toStartWith(message);
});

test.each(["StickinessQuery", "TrendsQuery"])("a %s of too many numbers is refused", async (kind) => {
  const node = nodeOf(kind, { series: new Array(100).fill(VIEW), interval: "minute" });
  const refused = await failure(runQuery(node, context));
  expect(refused.message).toBe("dateRange: 720100 cells are asked for, at most 500000");
  const breakdownFilter = { breakdown: "distinct_id", breakdown_type: "event_metadata" };
  const one = nodeOf("TrendsQuery", { series: new Array(20).fill(VIEW), interval: "minute", breakdownFilter });
  expect((await failure(runQuery({ ...one, dateRange: { date_from: "2019-12-20" } }, context))).message).toContain(
    "cells are asked for",
  );
});

test("the people behind a number are listed by their ids", async () => {
  const listed = async (source: JsonObject) => {
    const { results } = await runQuery({ kind: "ActorsQuery", select: ["id"], source }, context);
    return (results as string[][]).map(([id]) => id).sort();
  };
  const [a, b] = ["a", "b"].map((id) => personIdOf(1, id)) as [string, string];
  const of = { kind: "InsightActorsQuery", source: nodeOf("LifecycleQuery", {}), day: "2020-01-06" };
  expect(await listed({ ...of, status: "resurrecting" })).toEqual([a, b].sort());
  const bar = { kind: "StickinessActorsQuery", source: nodeOf("StickinessQuery", {}), day: 3 };
  expect(await listed(bar)).toEqual([a]);
});

test("as a table each item is a row", async () => {
  const tableOf = async (node: JsonObject) => {
    return new ParsedQuery(node).table((await runQuery(node, context)) as unknown as JsonObject);
  };
  const dateRange = { date_from: "2020-01-03", date_to: "2020-01-04" };
  expect(await tableOf(nodeOf("LifecycleQuery", { dateRange }))).toEqual({
    columns: ["series", "3-Jan-2020", "4-Jan-2020", "total"],
    rows: [
      ["view - new", 0, 1, 1],
      ["view - returning", 1, 0, 1],
      ["view - resurrecting", 0, 0, 0],
      ["view - dormant", 0, -1, -1],
    ] as Json[][],
  });
  const stickinessFilter = { computedAs: "cumulative" };
  expect(await tableOf(nodeOf("StickinessQuery", { intervalCount: 4, stickinessFilter }))).toEqual({
    columns: ["series", "1 day or more", "2 days or more", "total"],
    rows: [["view", 3, 2, 3]] as Json[][],
  });
});

test("legacy filters become nodes that are answered", async () => {
  const events = [{ id: "view", order: 0, math: "sum", math_property: "x" }];
  const filters = { events, date_from: "2020-01-03", date_to: "2020-01-08", interval: "day" };
  const lifecycleNode = nodeOfLegacy({ ...filters, insight: "LIFECYCLE", toggledLifecycles: ["new"] })!;
  expect(lifecycleNode.source).toEqual({
    kind: "LifecycleQuery",
    series: [VIEW],
    dateRange: RANGE,
    interval: "day",
    lifecycleFilter: { toggledLifecycles: ["new"] },
  });
  expect(dataOf((await runQuery(lifecycleNode, context)) as LifecycleResponse)).toEqual(dataOf(await lifecycle()));
  const node = nodeOfLegacy({ ...filters, insight: "STICKINESS", compare: true, show_legend: true })!;
  expect(node.source).toMatchObject({
    kind: "StickinessQuery",
    stickinessFilter: { showLegend: true },
    compareFilter: { compare: true },
  });
  expect(((await runQuery(node, context)) as StickinessResponse).results).toHaveLength(2);
});

// A day is no instant: as one, its text stood in each rule of the zone, and the statement was 190 kB long.
test.each(["month", "quarter", "year"])(
  "by %s a zone that changes its clocks costs no more text than by day",
  async (interval) => {
    const inZone = contextOf(lake, { nowMs: NOW, timezone: "America/New_York" });
    for (const kind of ["StickinessQuery", "LifecycleQuery"]) {
      const series = [VIEW, ...(kind === "StickinessQuery" ? [{ ...VIEW, event: "other" }] : [])];
      const lengthBy = async (by: string) => {
        await runQuery(nodeOf(kind, { interval: by, series, dateRange: { date_from: "2019-01-01" } }), inZone);
        return lake.lastSql.length;
      };
      expect(await lengthBy(interval)).toBeLessThan(2 * (await lengthBy("day")));
    }
  },
);
