import { afterAll, beforeAll, expect, test } from "bun:test";
import type { QueryContext, QueryRecords } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { NO_STEP, trends } from "./support.ts";

const at = (day: number, hour = 12) => Date.UTC(2020, 0, day, hour);
const NOW = at(4, 13);
const NULL = "$$_posthog_breakdown_null_$$";
const OTHER = "$$_posthog_breakdown_other_$$";

let lake: MemoryLake;
beforeAll(async () => {
  const plans = ["free", "free", "paid", null, "trial", "paid", "free"];
  lake = await MemoryLake.open(
    plans.map((plan, i) => ({
      event: i < 6 ? "view" : "buy",
      distinctId: `d${i}`,
      timestampMs: at(2 + (i % 2), 9),
      properties: { plan, url: i % 2 === 0 ? "http://a.b/c/?#" : "http://a.b/c", amount: i },
    })),
  );
});
afterAll(() => lake.close());

const node = (event: string, more: { [key: string]: Json } = {}) => ({ kind: "EventsNode", event, ...more });
const ask = (query: { [key: string]: Json }, context: Partial<QueryContext> = {}) =>
  trends(lake, { dateRange: { date_from: "2020-01-02", date_to: "2020-01-03" }, ...query }, { nowMs: NOW, ...context });

const byPlan = { breakdown: "plan", breakdown_type: "event" };

test("values of a breakdown come by their totals, the missing one last, the others together", async () => {
  const one = await ask({ series: [node("view")], breakdownFilter: byPlan });
  expect(one.results.map((item) => [item.label, item.breakdown_value, item.data, item.count])).toEqual([
    ["free", "free", [1, 1], 2],
    ["paid", "paid", [1, 1], 2],
    ["trial", "trial", [1, 0], 1],
    [NULL, NULL, [0, 1], 1],
  ]);
  expect(one.hasMore).toBe(false);
  const limited = await ask({ series: [node("view")], breakdownFilter: { ...byPlan, breakdown_limit: 1 } });
  expect(limited.results.map((item) => [item.label, item.data])).toEqual([
    ["free", [1, 1]],
    [OTHER, [2, 2]],
  ]);
  expect(limited.hasMore).toBe(true);
  const hidden = await ask({
    series: [node("view")],
    breakdownFilter: { ...byPlan, breakdown_limit: 1, breakdown_hide_other_aggregation: true },
  });
  expect([hidden.results.length, hidden.hasMore]).toEqual([1, true]);
});

test("of several series a value's label names its series; several properties make a list", async () => {
  const two = await ask({ series: [node("view"), node("buy", { custom_name: "Bought" })], breakdownFilter: byPlan });
  expect(two.results.map((item) => item.label).slice(-2)).toEqual([`view - ${NULL}`, "buy - free"]);
  const several = await ask({
    series: [node("buy")],
    breakdownFilter: {
      breakdowns: [
        { property: "plan", type: "event" },
        { property: "url", type: "event", normalize_url: true },
      ],
    },
  });
  expect(several.results.map((item) => [item.label, item.breakdown_value])).toEqual([
    ["free::http://a.b/c", ["free", "http://a.b/c"]],
  ]);
});

test("two periods: all of the current one, then all of the previous one, each with its own days", async () => {
  const { results, resolved_date_range } = await ask({
    series: [node("view"), node("buy")],
    dateRange: { date_from: "2020-01-03", date_to: "2020-01-03" },
    compareFilter: { compare: true },
  });
  expect(results.map((item) => [item.label, item.compare, item.compare_label, item.days, item.data])).toEqual([
    ["view", true, "current", ["2020-01-03"], [3]],
    ["buy", true, "current", ["2020-01-03"], [0]],
    ["view", true, "previous", ["2020-01-02"], [3]],
    ["buy", true, "previous", ["2020-01-02"], [1]],
  ]);
  expect(resolved_date_range.date_from).toBe("2020-01-03T00:00:00Z");
});

test("formulas take the place of their series", async () => {
  const series = [node("view"), node("buy")];
  const formulaNodes: Json[] = [{ formula: "(A + b) * 2" }, { formula: "B / A", custom_name: "Rate" }];
  const lines = await ask({ series, trendsFilter: { formulaNodes, formula: "A" } });
  expect(lines.results.map((item) => [item.label, item.order, item.data, item.count, item.action])).toEqual([
    ["Formula ((A + b) * 2)", 0, [8, 6], 14, null],
    ["Rate", 1, [1 / 3, 0], 1 / 3, null],
  ]);
  const total = await ask({ series, trendsFilter: { formula: "A / (B - 1)", display: "BoldNumber" } });
  expect(total.results).toMatchObject([{ data: null, aggregated_value: 0, count: 0, label: "Formula (A / (B - 1))" }]);
});

test.each([
  ["A - b - 1", 4],
  ["A / 2 / B", 3],
  ["A + B * 2 - 3", 5],
  ["2 * -A + 20", 8],
  ["-(A - 7) * (B + 1)", 2],
  ["+a * .5e1", 30],
  ["A / (B - 1) + 4", 4],
])("the formula %s is calculated as it is read", async (formula, expected) => {
  const query = { series: [node("view"), node("buy")], trendsFilter: { formula, display: "ActionsPie" } };
  expect((await ask(query)).results[0]!.aggregated_value).toBe(expected);
});

test("a formula of a breakdown has the values of all series", async () => {
  const { results } = await ask({
    series: [node("view"), node("buy")],
    trendsFilter: { formula: "A - B" },
    breakdownFilter: byPlan,
  });
  expect(results.map((item) => [item.breakdown_value, item.data])).toEqual([
    ["paid", [1, 1]],
    ["trial", [1, 0]],
    ["free", [0, 1]],
    [NULL, [0, 1]],
  ]);
});

test("an average over what came before is rounded down", async () => {
  const { results } = await ask({
    series: [node("view", { math: "sum", math_property: "amount" })],
    dateRange: { date_from: "2020-01-01", date_to: "2020-01-04" },
    trendsFilter: { smoothingIntervals: 2 },
  });
  expect([results[0]!.data, results[0]!.count]).toEqual([[0, 3, 7, 4], 14]);
});

test("an action is counted under its name; a deleted one is left out", async () => {
  const step = { ...NO_STEP, event: "view", properties: [{ key: "plan", value: "paid" }] };
  const action = { id: 3, name: "seen by payers", steps: [step, { ...NO_STEP, event: "buy" }] };
  const records: QueryRecords = { ...NO_RECORDS, action: (id) => (id === 3 ? action : null) };
  const series = [3, 4].map((id) => ({ kind: "ActionsNode", id }));
  const { results } = await ask({ series }, { records });
  expect(results.map((item) => [item.label, item.order, item.data, item.action?.id])).toEqual([
    ["seen by payers", 0, [2, 1], "seen by payers"],
  ]);
  expect((await ask({ series, trendsFilter: { formula: "A + B" } }, { records })).results[0]!.data).toEqual([2, 1]);
});

test("a sample takes all events of some ids, and is scaled up to all", async () => {
  const many = await MemoryLake.open(
    Array.from({ length: 600 }, (_, i) => ({ event: "e", distinctId: `id ${i % 200}`, timestampMs: at(3) })),
  );
  const of = async (math: string, samplingFactor: number) => {
    const query = { series: [node("e", { math })], samplingFactor, dateRange: { date_from: "2020-01-03" } };
    return (await trends(many, query, { nowMs: NOW })).results[0]!.data![0]!;
  };
  const [total, people, each] = [await of("total", 0.5), await of("dau", 0.5), await of("max_count_per_actor", 0.5)];
  expect(total).toBe(3 * people);
  expect(people).toBeWithin(130, 271);
  expect(each).toBe(3);
  expect([await of("total", 1), await of("dau", 1)]).toEqual([600, 200]);
  await many.close();
});

test("a cohort's people, beside all", async () => {
  await lake.addPersons([{ distinctIds: ["d0"], properties: { role: "x" } }]);
  const properties: Json = { type: "OR", values: [{ type: "person", key: "role", value: "x" }] };
  const cohort = { id: 9, name: "the x", isStatic: false, properties, personIds: [] };
  const records: QueryRecords = { ...NO_RECORDS, cohort: (id) => (id === 9 ? cohort : null) };
  const breakdownFilter = { breakdown: [9, "all"], breakdown_type: "cohort" };
  const { results } = await ask({ series: [node("view")], breakdownFilter }, { records });
  expect(results.map((item) => [item.breakdown_value, item.label, item.data])).toEqual([
    [9, "the x", [1, 0]],
    ["all", "all users", [3, 3]],
  ]);
});

test("seconds, minutes, quarters and years have their days and labels", async () => {
  const axis = async (interval: string, date_from: string, date_to: string) => {
    const { results } = await ask({ series: [node("view")], interval, dateRange: { date_from, date_to } });
    return [results[0]!.days, results[0]!.labels];
  };
  expect(await axis("second", "2020-01-02T10:00:00", "2020-01-02T10:00:01")).toEqual([
    ["2020-01-02 10:00:00", "2020-01-02 10:00:01"],
    ["2-Jan 10:00:00", "2-Jan 10:00:01"],
  ]);
  expect(await axis("minute", "2020-01-02T10:00:00", "2020-01-02T10:01:59")).toEqual([
    ["2020-01-02 10:00:00", "2020-01-02 10:01:00"],
    ["2-Jan 10:00", "2-Jan 10:01"],
  ]);
  expect((await axis("quarter", "2019-11-05", "2020-04-01"))[0]).toEqual(["2019-10-01", "2020-01-01", "2020-04-01"]);
  expect((await axis("year", "2019-11-05", "2020-04-01"))[0]).toEqual(["2019-01-01", "2020-01-01"]);
});

test("intervals that are not whole, or not over, can be left out", async () => {
  const range = async (dateRange: { [key: string]: Json }, interval: string) => {
    const { resolved_date_range: found } = await ask({
      series: [node("view")],
      interval,
      dateRange: { ...dateRange, excludeIncompletePeriods: true },
    });
    return [found.date_from, found.date_to];
  };
  expect(await range({ date_from: "-3d" }, "day")).toEqual(["2020-01-01T00:00:00Z", "2020-01-03T23:59:59.999999Z"]);
  expect(await range({ date_from: "2019-12-18", date_to: "2020-01-03" }, "week")).toEqual([
    "2019-12-22T00:00:00Z",
    "2019-12-28T23:59:59.999999Z",
  ]);
  // Nothing would be left.
  expect(await range({ date_from: "dStart" }, "day")).toEqual(["2020-01-04T00:00:00Z", "2020-01-04T23:59:59.999999Z"]);
});

test("a number without bounds is in no bin, and leaves theirs to the others", async () => {
  const amounts = [0, 10, "20", "Infinity", "-Infinity", "NaN", null];
  const odd = await MemoryLake.open(
    amounts.map((amount, i) => ({
      event: "view",
      distinctId: `d${i}`,
      timestampMs: at(2),
      properties: { amount },
    })),
  );
  try {
    const { results } = await trends(
      odd,
      {
        dateRange: { date_from: "2020-01-02", date_to: "2020-01-02" },
        series: [node("view")],
        breakdownFilter: { breakdowns: [{ property: "amount", histogram_bin_count: 2 }] },
      },
      { nowMs: NOW },
    );
    expect(results.map((item) => [item.label, item.data])).toEqual([
      ["[10,20.01]", [2]],
      ["[0,10]", [1]],
      [NULL, [4]],
    ]);
  } finally {
    await odd.close();
  }
});
