import { afterAll, describe, expect, test } from "bun:test";
import { nodeOfLegacy, ParsedQuery } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";
import { actorsBehind } from "./funnelsCases.ts";
import { ask, contextOf, failure } from "./support.ts";

const lake = await MemoryLake.open();
afterAll(() => lake.close());

const T0 = Date.parse("2024-03-10T00:00:00Z");
const NOW = T0 + 5 * 86_400_000;
const [SECOND, HOUR] = [1000, 3_600_000];

const context = (timezone = "UTC") => contextOf(lake, { nowMs: NOW, timezone });
const step = (event: string | null, more: JsonObject = {}): JsonObject => ({ kind: "EventsNode", event, ...more });

/** Events of `who` at so many milliseconds. */
const did = (distinctId: string, ...events: [string, number, Record<string, Json>?][]): TestEvent[] =>
  events.map(([event, ms, properties = {}]) => ({ event, distinctId, timestampMs: T0 + ms, properties }));

async function store(...events: TestEvent[][]): Promise<void> {
  await lake.empty();
  await lake.add(events.flat());
}

const funnel = (series: JsonObject[], funnelsFilter: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  kind: "FunnelsQuery",
  series,
  funnelsFilter,
  dateRange: { date_from: "2024-03-10", date_to: "2024-03-14" },
  ...more,
});

type Item = Record<string, unknown>;
const answer = async (node: JsonObject, timezone?: string) => (await ask(node, context(timezone))).results as Item[];
const counts = async (node: JsonObject) => (await answer(node)).map(({ count }) => count);

const AB = [step("a"), step("b")];

describe("what counts as the next step", () => {
  test("repeated steps need as many events, also at one instant", async () => {
    await store(did("one", ["a", 0], ["a", 0]), did("two", ["a", 0]), did("three", ["a", 0], ["a", 0], ["a", 5]));
    expect(await counts(funnel([step("a"), step("a"), step("a")]))).toEqual([3, 2, 1]);
  });

  test("different events at one instant come in the order that is asked for", async () => {
    await store(did("x", ["b", 5], ["a", 5]), did("y", ["c", 5], ["a", 5], ["b", 5]));
    expect(await counts(funnel([step("a"), step("b"), step("c")]))).toEqual([2, 2, 1]);
    expect(await counts(funnel([step("a"), step("b")], { funnelOrderType: "strict" }))).toEqual([2, 2]);
  });

  test("any event in every step", async () => {
    await store(did("x", ["a", 0], ["b", 1], ["c", 2]), did("y", ["a", 0], ["b", 1]));
    expect(await counts(funnel([step(null), step(null), step(null)]))).toEqual([2, 2, 1]);
  });

  test("a window ends with its last millisecond", async () => {
    const window = { funnelWindowInterval: 10, funnelWindowIntervalUnit: "second" };
    await store(
      did("in", ["a", 0], ["b", 10 * SECOND]),
      did("out", ["a", 0], ["b", 10 * SECOND + 1]),
      did("again", ["a", 0], ["a", 1], ["b", 10 * SECOND + 1]),
    );
    expect(await counts(funnel(AB, window))).toEqual([3, 2]);
  });

  test("days of the window have 24 hours, whatever the clock does", async () => {
    // Clocks go forward on the 10th in New York.
    await store(did("x", ["a", 6 * HOUR], ["b", 30 * HOUR]), did("y", ["a", 6 * HOUR], ["b", 30 * HOUR + 1]));
    const node = funnel(AB, { funnelWindowInterval: 1 });
    expect((await answer(node, "America/New_York")).map(({ count }) => count)).toEqual([2, 1]);
  });

  test("a strict funnel has no other events between its steps", async () => {
    await store(
      did("x", ["a", 0], ["b", 1]),
      did("y", ["a", 0], ["c", 1], ["b", 2]),
      did("z", ["a", 0], ["a", 1], ["b", 2]),
    );
    expect(await counts(funnel(AB, { funnelOrderType: "strict" }))).toEqual([3, 2]);
  });

  test("an optional step may be left out, and has no times", async () => {
    await store(did("x", ["a", 0], ["c", 4 * SECOND]), did("y", ["a", 0], ["b", SECOND], ["c", 2 * SECOND]));
    const steps = await answer(funnel([step("a"), step("b", { optionalInFunnel: true }), step("c")]));
    expect(steps.map(({ count, average_conversion_time: average }) => [count, average])).toEqual([
      [2, null],
      [1, null],
      [2, 3],
    ]);
  });

  test("steps of several events, and of first times", async () => {
    await store(
      did("x", ["a", -30 * 24 * HOUR], ["a", 0], ["b", 1]),
      did("y", ["c", 0], ["b", 1]),
      did("z", ["a", 0], ["b", 1]),
    );
    const either = { kind: "GroupNode", operator: "OR", nodes: [step("a"), step("c")] };
    expect(await counts(funnel([either, step("b")]))).toEqual([3, 3]);
    expect(await counts(funnel([{ ...either, math: "first_time_for_user" }, step("b")]))).toEqual([2, 2]);
  });
});

describe("exclusions", () => {
  const excluding = (from: number, to: number, more: JsonObject = {}) => ({
    exclusions: [{ ...step("x"), funnelFromStep: from, funnelToStep: to }],
    ...more,
  });

  test("end an attempt between their steps, and not at their edges", async () => {
    await store(
      did("between", ["a", 0], ["x", 1], ["b", 2]),
      did("before", ["x", 0], ["a", 1], ["b", 2]),
      did("behind", ["a", 0], ["b", 1], ["x", 2]),
      did("at the first", ["a", 0], ["x", 0], ["b", 2]),
      did("at the second", ["a", 0], ["x", 2], ["b", 2]),
    );
    expect(await counts(funnel(AB, excluding(0, 1)))).toEqual([4, 4]);
  });

  test("behind the window they do not matter, and a later attempt may do better", async () => {
    await store(did("later", ["a", 0], ["x", HOUR + 1]), did("again", ["a", 0], ["x", 1], ["a", 2], ["b", 3]));
    const window = { funnelWindowInterval: 1, funnelWindowIntervalUnit: "hour" };
    expect(await counts(funnel(AB, excluding(0, 1, window)))).toEqual([2, 1]);
  });
});

describe("one actor", () => {
  test("is a person, merged in the middle of the funnel", async () => {
    await store(did("before", ["a", 0]), did("after", ["b", HOUR]), did("other", ["b", HOUR]));
    await lake.addPersons([{ distinctIds: ["before", "after"] }, { distinctIds: ["other"] }]);
    const node = funnel(AB);
    expect(await counts(node)).toEqual([1, 1]);
    expect(await actorsBehind(node, { funnelStep: 2 }, context())).toHaveLength(1);
  });

  test("may be a group, or what HogQL says", async () => {
    await store(
      did("x", ["a", 0, { $group_0: "g", $session_id: "s1" }]),
      did("y", ["b", 1, { $group_0: "g", $session_id: "s2" }], ["b", 2, { $group_0: "", $session_id: "s1" }]),
    );
    const groups = funnel(AB, {}, { aggregation_group_type_index: 0 });
    const sessions = funnel(AB, { funnelAggregateByHogQL: "properties.$session_id" });
    expect([await counts(groups), await counts(sessions)]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(await actorsBehind(groups, { funnelStep: 2 }, context())).toEqual(["g"]);
    expect(await actorsBehind(sessions, { funnelStep: 2 }, context())).toEqual(["s1"]);
  });

  test("may have 100,000 events", async () => {
    await lake.empty();
    await lake.run(
      `INSERT INTO events BY NAME SELECT gen_random_uuid() AS uuid, CASE WHEN i = 99999 THEN 'b' ELSE 'a' END AS event, 'x' AS distinct_id,
         CAST('00000000-0000-4000-8000-000000000000' AS UUID) AS person_id, make_timestamp_ms(${T0} + i) AS timestamp, '{}' AS properties
       FROM (SELECT unnest(range(100000)) AS i)`,
    );
    const [, second] = await answer(funnel(AB));
    expect([second!.count, second!.average_conversion_time]).toEqual([1, 0.001]);
  });
});

test("twenty steps", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `step ${i}`);
  await store(
    did("all", ...names.map((name, i): [string, number] => [name, i * SECOND])),
    did("half", ...names.slice(0, 10).map((name, i): [string, number] => [name, i * SECOND])),
  );
  const series = names.map((name) => step(name));
  expect(await counts(funnel(series))).toEqual(names.map((_, i) => (i < 10 ? 2 : 1)));
  expect(await counts(funnel(series, { funnelOrderType: "unordered" }))).toEqual(names.map((_, i) => (i < 10 ? 2 : 1)));
});

test("fifty values of a breakdown: those with most conversions are told apart, and whoever is behind them", async () => {
  const value = (i: number) => ({ plan: `p${String(i).padStart(2, "0")}` });
  await store(
    ...Array.from({ length: 50 }, (_, i) =>
      did(`u${i}`, ["a", 0, value(i)], ...(i % 2 === 0 ? [["b", 1] as [string, number]] : [])),
    ),
  );
  const node = funnel(AB, {}, { breakdownFilter: { breakdown: "plan", breakdown_type: "event", breakdown_limit: 20 } });
  const results = (await answer(node)) as unknown as Item[][];
  expect(results).toHaveLength(21);
  expect(results[0]!.map(({ breakdown, breakdown_value, count }) => [breakdown, breakdown_value, count])).toEqual([
    [["Other"], ["Other"], 30],
    [["Other"], ["Other"], 5],
  ]);
  expect(results[1]![0]!.breakdown).toEqual(["p00"]);
  for (const [part, expected] of [
    [{ funnelStep: -2, funnelStepBreakdown: "Other" }, 25],
    [{ funnelStep: 2, funnelStepBreakdown: ["Other"] }, 5],
    [{ funnelStep: 2, funnelStepBreakdown: "p00" }, 1],
    [{ funnelStep: 2 }, 25],
  ] as const) {
    expect(await actorsBehind(node, part as JsonObject, context())).toHaveLength(expected);
  }
  const hidden = { ...(node.breakdownFilter as JsonObject), breakdown_hide_other_aggregation: true };
  expect(await answer({ ...node, breakdownFilter: hidden })).toHaveLength(20);
});

test("each actor has one value of the first touch: the values of a step add up to it", async () => {
  const events = Array.from({ length: 300 }, (_, i) =>
    did(`u${i % 17}`, [["a", "b", "c"][(i * 5 + (i % 7)) % 3]!, i * SECOND, i % 4 === 0 ? {} : { plan: `p${i % 5}` }]),
  );
  await store(...events);
  const node = funnel([step("a"), step("b"), step("c")]);
  const sums = async (breakdownAttributionType: string) => {
    const breakdownFilter = { breakdown: "plan", breakdown_limit: 2 };
    const results = (await answer({
      ...node,
      breakdownFilter,
      funnelsFilter: { breakdownAttributionType },
    })) as unknown as Item[][];
    return [0, 1, 2].map((i) => results.reduce((sum, steps) => sum + Number(steps[i]!.count), 0));
  };
  const whole = await counts(node);
  expect([await sums("first_touch"), await sums("last_touch")]).toEqual([whole, whole] as number[][]);
});

test("the people of a step, as a query of their own", async () => {
  await store(did("x", ["a", 0], ["b", 2 * SECOND]), did("y", ["a", 0]));
  await lake.addPersons([{ distinctIds: ["x"], properties: { email: "x@example.com" } }]);
  const source = { kind: "FunnelsActorsQuery", source: funnel(AB), funnelStep: 2 };
  const people = { kind: "ActorsQuery", source, select: ["properties.email", "conversion_time"] };
  expect((await ask(people, context())).results).toEqual([["x@example.com", 2]]);
  const options = { kind: "InsightActorsQueryOptions", source: { ...source, source: funnel(AB) } };
  expect((await ask(options, context())).results).toEqual([]);
});

test("the events that did a step are told with those of recordings", async () => {
  const at = (ms: number) => new Date(T0 + ms).toISOString();
  const of = ($session_id: string, value: string) => ({ $session_id, $window_id: `window of ${$session_id}`, value });
  await store(
    did("x", ["a", 0, of("s1", "1")], ["b", 2000, of("s2", "2")], ["b", 3000], ["a", 4000]),
    did("y", ["a", 1000, of("s3", "1")], ["a", 1000, of("s4", "2")]),
  );
  const behind = async (part: JsonObject, filter: JsonObject = {}, more: JsonObject = {}) => {
    const source = { kind: "FunnelsActorsQuery", source: funnel(AB, filter, more), includeRecordings: true, ...part };
    const select = ["id", "matching_events", "matched_recordings"];
    const { results } = await ask({ kind: "ActorsQuery", source, select }, context());
    const rows = results as [string, [string, string, string | null, string | null][], Json[]][];
    expect(rows.every(([, , recordings]) => recordings.length === 0)).toBe(true);
    return rows.flatMap(([, events]) => events.map(([time, , session, window]) => [time, session, window])).sort();
  };
  const x = [at(2000).replace(".000", ""), "s2", "window of s2"];
  expect(await behind({ funnelStep: 2 })).toEqual([x]);
  expect(await behind({ funnelStep: 2 }, { funnelOrderType: "unordered" })).toEqual([x]);
  // Either may have been the one.
  const y = ["s3", "s4"].map((one) => [at(1000).replace(".000", ""), one, `window of ${one}`]);
  expect(await behind({ funnelStep: -2 })).toEqual(y);
  const breakdownFilter = { breakdown: "value", breakdown_type: "event" };
  const all = { breakdownAttributionType: "all_events" };
  expect(await behind({ funnelStep: -2, funnelStepBreakdown: "2" }, all, { breakdownFilter })).toEqual([y[1]!]);
  const ofDay = { funnelTrendsEntrancePeriodStart: "2024-03-10" };
  expect(await behind(ofDay, { funnelVizType: "trends" })).toEqual([x]);
});

test("steps are at most as many ordered as unordered, and strict as ordered", async () => {
  const events = Array.from({ length: 400 }, (_, i) =>
    did(`u${i % 23}`, [["a", "b", "c", "d"][(i * 7 + (i % 5)) % 4]!, ((i * 37) % 90) * SECOND]),
  );
  await store(...events);
  const series = [step("a"), step("b"), step("c")];
  const of = (funnelOrderType: string) =>
    counts(funnel(series, { funnelOrderType, funnelWindowInterval: 30, funnelWindowIntervalUnit: "second" }));
  const [strict, ordered, unordered] = (await Promise.all(["strict", "ordered", "unordered"].map(of))) as number[][];
  for (const i of series.keys()) {
    expect(strict![i]).toBeLessThanOrEqual(ordered![i]!);
    expect(ordered![i]).toBeLessThanOrEqual(unordered![i]!);
  }
  expect(ordered![2]).toBeGreaterThan(0);
});

describe("what is told", () => {
  test("of a step", async () => {
    await store(did("x", ["a", 0], ["b", 2 * SECOND]), did("y", ["a", 0]));
    const [first, second] = await answer(funnel([step("a", { custom_name: "Begin" }), step("b")]));
    expect(first).toEqual({
      action_id: "a",
      name: "a",
      custom_name: "Begin",
      order: 0,
      people: [],
      count: 2,
      type: "events",
      average_conversion_time: null,
      median_conversion_time: null,
    });
    expect(second).toMatchObject({ order: 1, count: 1, average_conversion_time: 2, median_conversion_time: 2 });
    expect(await answer(funnel([step("nothing"), step("b")]))).toEqual([]);
  });

  test("of conversion over time", async () => {
    await store(
      did("x", ["a", HOUR], ["b", 2 * HOUR]),
      did("y", ["a", HOUR]),
      did("z", ["a", 30 * HOUR], ["b", 31 * HOUR]),
    );
    const node = funnel(AB, { funnelVizType: "trends" }, { interval: "day" });
    const [series] = await answer(node);
    expect(series).toMatchObject({
      count: 5,
      data: [50, 100, 0, 0, 0],
      reached_from_step_count: [2, 1, 0, 0, 0],
      reached_to_step_count: [1, 1, 0, 0, 0],
      days: ["2024-03-10", "2024-03-11", "2024-03-12", "2024-03-13", "2024-03-14"],
    });
    const of = (funnelTrendsDropOff: boolean) =>
      actorsBehind(node, { funnelTrendsEntrancePeriodStart: "2024-03-10", funnelTrendsDropOff }, context());
    expect([(await of(true)).length, (await of(false)).length]).toEqual([1, 1]);
    expect(new ParsedQuery(node).table({ results: [series!] as Json })!.rows).toEqual([[50, 100, 0, 0, 0]]);
  });

  test("of two periods", async () => {
    await store(did("x", ["a", 0], ["b", 1]), did("y", ["a", -24 * HOUR]));
    const results = await answer(funnel(AB, {}, { compareFilter: { compare: true } }));
    expect(results.map(({ count, compare_label }) => [compare_label, count])).toEqual([
      ["current", 1],
      ["current", 1],
      ["previous", 1],
      ["previous", 0],
    ]);
  });

  test("the text of a funnel gives its numbers", async () => {
    await store(did("x", ["a", 0], ["b", SECOND]), did("y", ["a", 0]));
    const { hogql } = (await ask(funnel(AB), context())) as unknown as { hogql: string };
    const { results } = await ask({ kind: "HogQLQuery", query: hogql }, context());
    expect(results).toEqual([[0, 2, 1, 1, 1]]);
  });

  test("as options for the people behind it", async () => {
    await store(did("x", ["a", 0, { plan: "pro" }]), did("y", ["a", 0]));
    const node = funnel(AB, {}, { breakdownFilter: { breakdown: "plan" }, compareFilter: { compare: true } });
    expect(await new ParsedQuery(node).query.actors!.options(context())).toEqual({
      breakdown: [
        { label: "None (i.e. no value)", value: "" },
        { label: "pro", value: "pro" },
      ],
      compare: [
        { label: "Current", value: "current" },
        { label: "Previous", value: "previous" },
      ],
    });
  });
});

describe("refused by name", () => {
  const excluded = (more: JsonObject) => ({
    exclusions: [{ ...step("x"), funnelFromStep: 0, funnelToStep: 1, ...more }],
  });
  test.each<[string, JsonObject, JsonObject?]>([
    ["funnelsFilter.funnelFromStep: must be between 0 and 0", { funnelFromStep: 1 }],
    ["funnelsFilter.funnelToStep: must be between 1 and 1", { funnelToStep: 2 }],
    ["funnelsFilter.exclusions.0.funnelToStep: must be at most 1", excluded({ funnelToStep: 2 })],
    ["funnelsFilter.exclusions.0.funnelToStep: must be after funnelFromStep", excluded({ funnelToStep: 0 })],
    ["funnelsFilter.exclusions.0: excludes what step 2 asks for", excluded({ event: "b" })],
    ["funnelsFilter.exclusions.0.wrong: unknown field", excluded({ wrong: 1 })],
    [
      "funnelsFilter.breakdownAttributionValue: must be between 0 and 1",
      { breakdownAttributionType: "step", breakdownAttributionValue: 2 },
    ],
    [
      "funnelsFilter.funnelWindowInterval: must be at most 100 years",
      { funnelWindowInterval: 99_999, funnelWindowIntervalUnit: "month" },
    ],
    ["funnelsFilter.unheard: unknown field", { unheard: 1 }],
    [
      "series.0.optionalInFunnel: the first step cannot be optional",
      {},
      { series: [step("a", { optionalInFunnel: true }), step("b")] },
    ],
    [
      'series.0.math: the math "sum" of a step is not supported yet',
      {},
      { series: [step("a", { math: "sum" }), step("b")] },
    ],
    [
      "interval: there can be at most 10000 intervals",
      { funnelVizType: "trends" },
      { interval: "minute", dateRange: { date_from: "-10d" } },
    ],
  ])("%s", async (message, filter, more = {}) => {
    const error = await failure(ask(funnel(AB, filter, more), context()));
    expect([error.code, error.message]).toEqual(["invalid_query", message]);
  });

  test.each<[JsonObject, string]>([
    [{ funnelStep: 0 }, "source.funnelStep: must be 1 to 2, or -2 to -2 for those who dropped off"],
    [{ funnelStep: -1 }, "source.funnelStep: must be 1 to 2, or -2 to -2 for those who dropped off"],
    [{ funnelStep: 1, compare: "previous" }, "source.compare: the funnel is compared with nothing"],
    [{ funnelStep: 1, day: "x" }, "source.day: unknown field"],
  ])("the people of %j", async (part, message) => {
    const source = { kind: "FunnelsActorsQuery", source: funnel(AB), ...part };
    expect((await failure(ask({ kind: "ActorsQuery", source }, context()))).message).toBe(message);
  });
});

test("filters from before there were nodes", () => {
  const node = nodeOfLegacy({
    insight: "FUNNELS",
    events: [
      { id: "b", order: 1, math: "dau" },
      { id: "a", order: 0 },
    ],
    funnel_window_days: 7,
    funnel_order_type: "strict",
    exclusions: [{ id: "x", type: "events", funnel_from_step: 0, funnel_to_step: 1 }],
    display: "ActionsLineGraph",
    interval: "week",
  });
  expect(node).toEqual({
    kind: "InsightVizNode",
    source: {
      kind: "FunnelsQuery",
      series: [step("a"), step("b")],
      interval: "week",
      funnelsFilter: {
        funnelOrderType: "strict",
        funnelVizType: "trends",
        funnelWindowInterval: 7,
        funnelWindowIntervalUnit: "day",
        exclusions: [{ kind: "EventsNode", event: "x", funnelFromStep: 0, funnelToStep: 1 }],
      },
    },
  });
  expect(new ParsedQuery(node!).query.explain).toBe(false);
});
