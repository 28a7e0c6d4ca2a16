import { afterAll, describe, expect, test } from "bun:test";
import { RETENTION } from "../../src/query/kinds/retention/mod.ts";
import type { RetentionResponse } from "../../src/query/kinds/retention/run.ts";
import { closeParser, nodeOfLegacy, ParsedQuery, runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";
import { peopleBehind } from "./retentionCases.ts";
import { contextOf, emptyLake, failure, hogql } from "./support.ts";

const lake = await MemoryLake.open();
afterAll(async () => {
  closeParser();
  await lake.close();
});

const at = (day: number, hour: number) => Date.parse(`2023-12-${day}T${String(hour).padStart(2, "0")}:30:00Z`);
const did = (distinctId: string, day: number, hour: number, more: Partial<TestEvent> = {}): TestEvent => {
  return { event: "$pageview", distinctId, timestampMs: at(day, hour), properties: {}, ...more };
};
await lake.add([
  did("ann", 25, 10, { properties: { plan: "a", paid: 3 } }),
  did("ann", 25, 12, { event: "buy", properties: { paid: 5 } }),
  did("ann", 26, 9, { properties: { plan: "a", paid: 4 } }),
  did("ann", 26, 11, { event: "buy", properties: { paid: "none" } }),
  did("ann", 28, 23, { properties: { plan: "b", paid: 1 } }),
  did("bob", 25, 23, { properties: { plan: "b" } }),
  did("bob", 26, 1, { properties: { plan: "b" } }),
  did("bob", 28, 8, { event: "buy", properties: { paid: 2 } }),
  did("cyd", 26, 5),
]);

const context = contextOf(lake, { nowMs: Date.parse("2023-12-28T12:00:00Z") });
const nodeOf = (retentionFilter: JsonObject, more: JsonObject = {}): JsonObject => ({
  kind: "RetentionQuery",
  retentionFilter: { totalIntervals: 4, ...retentionFilter },
  ...more,
});
const ask = (retentionFilter: JsonObject, more: JsonObject = {}, where = context) =>
  runQuery(nodeOf(retentionFilter, more), where) as Promise<RetentionResponse>;
const countsOf = ({ results }: RetentionResponse) => results.map(({ values }) => values.map(({ count }) => count));

test("a row has its cohort and whom of it came back, interval by interval", async () => {
  const answer = await ask({});
  expect(countsOf(answer)).toEqual([
    [2, 2, 0, 1],
    [3, 0, 1, 0],
    [0, 0, 0, 0],
    [1, 0, 0, 0],
  ]);
  expect(answer.results[1]).toEqual({
    values: [3, 0, 1, 0].map((count, i) => ({ count, label: `Day ${i}` })),
    label: "Day 1",
    date: "2023-12-26T00:00:00Z",
    breakdown_value: null,
  });
  expect(answer.resolved_date_range).toEqual({
    date_from: "2023-12-25T00:00:00Z",
    date_to: "2023-12-28T23:59:59.999999Z",
  });
});

test("windows are of 24 hours by the hands of the clock", async () => {
  // Of bob two hours after midnight are the same window, of ann 23 hours.
  expect(countsOf(await ask({ timeWindowMode: "24_hour_windows" }))[0]).toEqual([2, 0, 0, 1]);
});

test("brackets are several intervals each", async () => {
  const answer = await ask({ retentionCustomBrackets: [1, 2] });
  expect(countsOf(answer)[0]).toEqual([2, 2, 1]);
  expect(answer.results[0]!.values.map(({ label }) => label)).toEqual(["Day 0", "Day 1", "Day 2-3"]);
});

test("a property is summed up beside the counts", async () => {
  const buy = { id: "buy", type: "events" };
  const summed = { aggregationProperty: "paid", aggregationType: "sum" };
  const valuesOf = ({ results }: RetentionResponse) => results[0]!.values.map((cell) => cell.aggregation_value);
  expect(valuesOf(await ask(summed))).toEqual([3, 4, 0, 1]);
  expect(valuesOf(await ask({ ...summed, returningEntity: buy }))).toEqual([5, 0, 0, 2]);
  expect(valuesOf(await ask({ ...summed, aggregationType: "avg" }))).toEqual([1.5, 2, 0, 1]);
});

test("the first day of all is that of the first event", async () => {
  const { results } = await ask({}, { dateRange: { date_from: "all" } });
  expect(results.map(({ date }) => date.slice(0, 10))).toEqual([
    "2023-12-25",
    "2023-12-26",
    "2023-12-27",
    "2023-12-28",
  ]);
});

test("a range that ends before it begins has no cohorts", async () => {
  const { results } = await ask({}, { dateRange: { date_from: "2023-12-20", date_to: "2023-12-10" } });
  expect(results).toEqual([]);
});

test("a deleted action has no events", async () => {
  const gone = { id: 99, type: "actions" };
  expect(countsOf(await ask({ targetEntity: gone }))[0]).toEqual([0, 0, 0, 0]);
  expect(countsOf(await ask({ returningEntity: gone }))[0]).toEqual([2, 0, 0, 0]);
});

test("a sample is counted as if it were all", async () => {
  const counts = countsOf(await ask({}, { samplingFactor: 0.5 })).flat();
  expect(counts.every((count) => count % 2 === 0)).toBe(true);
});

test.each<[string, JsonObject, JsonObject]>([
  ["plain", {}, {}],
  ["rolling, of two events", { returningEntity: { id: "buy" }, cumulative: true, minimumOccurrences: 2 }, {}],
  ["first times", { retentionType: "retention_first_time", returningEntity: { id: null } }, {}],
  ["windows", { timeWindowMode: "24_hour_windows", returningEntity: { id: "buy" } }, {}],
  ["brackets over a long time", { totalIntervals: 60, retentionCustomBrackets: [1, 2] }, {}],
  ["a sum", { aggregationType: "sum", aggregationProperty: "paid", returningEntity: { id: "buy" } }, {}],
  ["a breakdown", {}, { breakdownFilter: { breakdown: "plan", breakdown_limit: 1 } }],
])("hogql asked itself has the same numbers: %s", async (_, filter, more) => {
  const answer = await ask(filter, more);
  const { results } = await hogql(lake, answer.hogql!);
  // Without a sum a row has one cell that is not zero.
  const areCells = filter.aggregationType === undefined;
  const rows = answer.results.flatMap(({ label, values, breakdown_value: value }): unknown[][] => {
    const shown = value === null ? [] : [value];
    if (areCells) {
      const cells = values.map(({ count }, column) => [Number(label.split(" ")[1]), column, count, ...shown]);
      return cells.filter(([, , count]) => count !== 0);
    }
    const sums = values.flatMap((cell) => cell.aggregation_value ?? []);
    const cohort = [Number(label.split(" ")[1]), ...values.map(({ count }) => count), ...sums];
    return values[0]!.count === 0 ? [] : [[...cohort, ...shown]];
  });
  expect(rows.length).toBeGreaterThan(0);
  expect(results.map((row) => JSON.stringify(row)).sort()).toEqual(rows.map((row) => JSON.stringify(row)).sort());
});

describe("who is behind it", () => {
  const breakdownFilter = { breakdown: "plan", breakdown_type: "event", breakdown_limit: 1 };

  test("a cohort's people say when they came back", async () => {
    const people = await peopleBehind(nodeOf({}), { kind: "InsightActorsQuery", interval: 0 }, context);
    expect(people.map(([, ...told]) => JSON.stringify(told)).sort()).toEqual([
      "[[0,1,3],true,true,false,true]",
      "[[0,1],true,true,false,false]",
    ]);
  });

  test("of the values that were put together, too", async () => {
    const { results, hasMore } = await ask({}, { breakdownFilter });
    expect(hasMore).toBe(true);
    expect([...new Set(results.map((item) => item.breakdown_value))]).toEqual(["b", "$$_posthog_breakdown_other_$$"]);
    const part = { kind: "InsightActorsQuery", interval: 0, breakdown: "$$_posthog_breakdown_other_$$" };
    expect(await peopleBehind(nodeOf({}, { breakdownFilter }), part, context)).toHaveLength(1);
  });

  test("the parts that can be asked for are told", async () => {
    const options = await RETENTION.read(nodeOf({}, { breakdownFilter })).actors!.options(context);
    expect(options.interval).toHaveLength(4);
    expect(options.breakdown!.map(({ value }) => value)).toEqual(["b", "$$_posthog_breakdown_other_$$"]);
  });

  test.each<[JsonObject, string]>([
    [{ interval: 4 }, "source.interval: there are 4 cohorts, from 0 on"],
    [{ interval: 0, breakdown: "x" }, "source.breakdown: must have 0 values, not 1"],
    [{ interval: 0, day: "2020-01-01" }, 'source.day: Expected null, not "2020-01-01"'],
  ])("a part that is none is refused: %j", async (part, message) => {
    const source = { kind: "InsightActorsQuery", source: nodeOf({}), ...part };
    expect((await failure(runQuery({ kind: "ActorsQuery", source }, context))).message).toBe(message);
  });
});

test("as a table it has a row for each cohort", async () => {
  const answer = await ask({ totalIntervals: 2 });
  expect(RETENTION.table(JSON.parse(JSON.stringify(answer)))).toEqual({
    columns: ["cohort", "cohort size", "Day 0", "Day 1"],
    rows: [
      ["2023-12-27T00:00:00Z", 0, 0, 0],
      ["2023-12-28T00:00:00Z", 1, 1, 0],
    ],
  });
});

test("its dates are the basis of an answer", () => {
  const basis = new ParsedQuery(nodeOf({})).basis(context);
  expect(basis).toBe(`${Date.parse("2023-12-25T00:00:00Z")}/${Date.parse("2023-12-28T23:59:59.999Z")}`);
});

test("legacy filters are read", () => {
  const filters = {
    insight: "RETENTION",
    date_to: "-1d",
    period: "Week",
    total_intervals: 5,
    retention_type: "retention_first_time",
    target_entity: '{"id": "buy", "type": "events", "uuid": "x"}',
    returning_entity: { id: 3, type: "actions", properties: { plan: "a" } },
  };
  expect(nodeOfLegacy(filters)).toEqual({
    kind: "InsightVizNode",
    source: {
      kind: "RetentionQuery",
      dateRange: { date_to: "-1d" },
      retentionFilter: {
        period: "Week",
        totalIntervals: 5,
        retentionType: "retention_first_time",
        targetEntity: { id: "buy", type: "events" },
        returningEntity: {
          id: 3,
          type: "actions",
          properties: [{ key: "plan", operator: "exact", value: "a", type: "event" }],
        },
      },
    },
  });
});

describe("what makes no sense is refused by name", () => {
  const whole = "retentionFilter";
  test.each<[JsonObject, string]>([
    [{ totalIntervals: 53 }, `${whole}.totalIntervals: at most 52 intervals, not 53`],
    [{ totalIntervals: 1e9 }, `${whole}.totalIntervals: Expected integer to be less or equal to 1000, not 1000000000`],
    [{ period: "Year" }, `${whole}.period: must be one of Hour, Day, Week, Month, not "Year"`],
    [
      { timeWindowMode: "24_hour_windows", cumulative: true },
      `${whole}.cumulative: windows of 24 hours are not cumulative`,
    ],
    [{ aggregationType: "sum" }, `${whole}.aggregationProperty: the sum needs a property`],
    [
      { aggregationType: "avg", aggregationProperty: "n", cumulative: true },
      `${whole}.cumulative: the avg of a property is by calendar, and not cumulative`,
    ],
    [
      { retentionCustomBrackets: [0] },
      `${whole}.retentionCustomBrackets.0: Expected integer to be greater or equal to 1, not 0`,
    ],
    [
      { targetEntity: { id: "x", type: "groups" } },
      `${whole}.targetEntity.type: an entity of type "groups" is not supported yet`,
    ],
    [{ returningEntity: { id: "x", table_name: "t" } }, `${whole}.returningEntity.table_name: unknown field`],
    [{ surprise: 1 }, `${whole}.surprise: unknown field`],
  ])("%j", async (filter, message) => {
    const error = await failure(runQuery(nodeOf(filter), contextOf(emptyLake)));
    expect([error.code, error.message]).toEqual(["invalid_query", message]);
  });

  test.each<[JsonObject, string]>([
    [{ dateRange: { date_from: "1900-01-01" } }, "dateRange: the range has more than 1000 intervals of one day"],
    [
      { dateRange: { date_from: "-900d" }, breakdownFilter: { breakdown: "x", breakdown_limit: 1000 } },
      `${whole}: 3607604 cells are asked for, at most 500000`,
    ],
    [{ retentionFilter: null }, `${whole}: Expected object, not null`],
    [
      { breakdownFilter: { breakdown: [7], breakdown_type: "cohort" } },
      "breakdownFilter.breakdown: there is no cohort 7",
    ],
  ])("%j", async (more, message) => {
    const error = await failure(runQuery(nodeOf({}, more), contextOf(emptyLake)));
    expect([error.code, error.message]).toEqual(["invalid_query", message]);
  });
});
