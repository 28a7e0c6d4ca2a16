import { afterAll, describe, expect, test } from "bun:test";
import { type QueryContext, runQuery } from "../../src/query/mod.ts";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";
import { contextOf, failure } from "./support.ts";

const NOW = Date.parse("2024-03-10T12:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * 40 people begin; every second one buys, 10 minutes later. Those who buy mostly watched the video between the two; the
 * others mostly met an error. All looked at the help after the end, or long before.
 */
const people = Array.from({ length: 40 }, (_, i) => ({ i, buys: i % 2 === 0, isOdd: i % 10 === 0 }));
const at = (i: number, minutes: number) => NOW - 2 * DAY + i * 1000 + minutes * MINUTE;
const events: TestEvent[] = people.flatMap(({ i, buys, isOdd }) => {
  const distinctId = `p${i}`;
  const did = (event: string, minutes: number, properties: JsonObject = {}, elementsChain = ""): TestEvent => ({
    event,
    distinctId,
    timestampMs: at(i, minutes),
    properties: { $group_0: `g${i % 4}`, ...properties },
    elementsChain,
  });
  return [
    did("help", -30),
    did("start", 0),
    ...(buys !== isOdd
      ? [did("video", 1, { quality: "high", seconds: 9 }), did("video", 2, { quality: "high", seconds: 9 })]
      : []),
    ...(buys ? [] : [did("error", 3, { code: "e1" })]),
    did("$autocapture", 4, { $event_type: "click" }, buys ? 'a:text="buy"' : 'a:text="no"'),
    ...(buys ? [did("buy", 10), did("help", 11)] : []),
    did("later", 15 * 24 * 60),
  ];
});
const lake = await MemoryLake.open(events);
await lake.addPersons(
  people.map(({ i, buys }) => ({ distinctIds: [`p${i}`], properties: { plan: buys ? "pro" : "free", n: i } })),
);
await lake.addGroups(
  [0, 1, 2, 3].map((i) => ({ index: 0, key: `g${i}`, properties: { size: i % 2 === 0 ? "big" : "small" } })),
);
afterAll(() => lake.close());

const context: QueryContext = contextOf(lake, { nowMs: NOW + 30 * DAY });
const FUNNEL: JsonObject = {
  kind: "FunnelsQuery",
  series: ["start", "buy"].map((event) => ({ kind: "EventsNode", event })),
  dateRange: { date_from: "2024-03-01", date_to: "2024-04-05" },
};

interface Found {
  results: {
    events: {
      event: { event: string; elements: Json[] };
      success_count: number;
      failure_count: number;
      odds_ratio: number;
      correlation_type: string;
    }[];
    skewed: boolean;
  };
}

const ask = async (more: JsonObject, funnel: JsonObject = FUNNEL) => {
  const source = { kind: "FunnelsActorsQuery", source: funnel, funnelStep: 1 };
  return (await runQuery({ kind: "FunnelCorrelationQuery", source, ...more }, context)) as unknown as Found;
};
const shown = ({ results }: Found) =>
  results.events.map((one) => [one.event.event, one.success_count, one.failure_count, one.correlation_type]);

const idsOf = async (part: JsonObject, correlation: JsonObject, funnel: JsonObject = FUNNEL): Promise<string[]> => {
  const source = { kind: "FunnelsActorsQuery", source: funnel, funnelStep: 1 };
  const insight = { kind: "FunnelCorrelationQuery", source, ...correlation };
  const node = {
    kind: "ActorsQuery",
    source: { kind: "FunnelCorrelationActorsQuery", source: insight, ...part },
    select: ["actor_id"],
    limit: 1000,
  };
  const { results } = await runQuery(node, context);
  return (results as [string][]).map(([id]) => id).sort();
};
const everybody = (test: (one: (typeof people)[number]) => boolean) =>
  people
    .filter(test)
    .map(({ i }) => personIdOf(1, `p${i}`))
    .sort();

describe("the people behind a correlation", () => {
  const EVENTS = { funnelCorrelationType: "events" };
  const did = (event: string, converted: boolean | null, properties: Json = null) => ({
    funnelCorrelationPersonConverted: converted,
    funnelCorrelationPersonEntity: { kind: "EventsNode", event, properties },
  });
  const having = (key: string, value: Json, converted: boolean | null, more: JsonObject = { type: "person" }) => ({
    funnelCorrelationPersonConverted: converted,
    funnelCorrelationPropertyValues: [{ key, value, operator: "exact", ...more }],
  });

  test("did an event, and came to the end or not", async () => {
    expect(await idsOf(did("video", true), EVENTS)).toEqual(everybody(({ buys, isOdd }) => buys && !isOdd));
    expect(await idsOf(did("video", false), EVENTS)).toEqual([]);
    expect(await idsOf(did("error", false), EVENTS)).toEqual(everybody(({ buys }) => !buys));
    expect(await idsOf(did("$autocapture", null), EVENTS)).toEqual(everybody(() => true));
    expect(await idsOf(did("$autocapture", true), EVENTS)).toEqual(everybody(({ buys }) => buys));
  });

  test("did it between the first step and the last, whatever they did else", async () => {
    expect(await idsOf(did("help", null), EVENTS)).toEqual([]);
    expect(await idsOf(did("later", null), EVENTS)).toEqual([]);
    expect(await idsOf(did("buy", null), EVENTS)).toEqual([]);
  });

  test("did it with properties, or clicked something", async () => {
    const of = (funnelCorrelationEventNames: string[]) => ({
      funnelCorrelationType: "event_with_properties",
      funnelCorrelationEventNames,
    });
    const property = (key: string, value: Json) => [{ key, value, operator: "exact", type: "event" }];
    const high = did("video", true, property("quality", "high"));
    expect(await idsOf(high, of(["video"]))).toEqual(everybody(({ buys, isOdd }) => buys && !isOdd));
    expect(await idsOf(did("video", true, property("quality", "low")), of(["video"]))).toEqual([]);
    const click = did("$autocapture", null, [{ key: "text", value: "no", operator: "exact", type: "element" }]);
    expect(await idsOf(click, of(["$autocapture"]))).toEqual(everybody(({ buys }) => !buys));
  });

  test("have a property", async () => {
    const of = { funnelCorrelationType: "properties", funnelCorrelationNames: ["plan", "none"] };
    expect(await idsOf(having("plan", "pro", true), of)).toEqual(everybody(({ buys }) => buys));
    expect(await idsOf(having("plan", "pro", false), of)).toEqual([]);
    expect(await idsOf(having("plan", ["free"], null), of)).toEqual(everybody(({ buys }) => !buys));
    // What is missing is told as an empty value.
    expect(await idsOf(having("none", "", true), of)).toEqual(everybody(({ buys }) => buys));
    expect(await idsOf(having("plan", "", null), of)).toEqual([]);
    const both = [...(having("plan", "pro", true).funnelCorrelationPropertyValues as Json[])];
    const n = { key: "n", value: [0, 1, 2], operator: "exact", type: "person" };
    const part = { funnelCorrelationPersonConverted: true, funnelCorrelationPropertyValues: [...both, n] };
    expect(await idsOf(part, of)).toEqual(everybody(({ i }) => i === 0 || i === 2));
  });

  test("may be groups", async () => {
    const funnel = { ...FUNNEL, aggregation_group_type_index: 0 };
    const of = { funnelCorrelationType: "properties", funnelCorrelationNames: ["size"] };
    const big = having("size", "big", null, { type: "group", group_type_index: 0 });
    expect(await idsOf(big, of, funnel)).toEqual(["g0", "g2"]);
    expect(await idsOf(did("video", true), EVENTS, funnel)).toEqual(["g0", "g2"]);
  });

  test("are as many as the numbers say", async () => {
    for (const funnelOrderType of ["ordered", "unordered", "strict"]) {
      const funnel = { ...FUNNEL, funnelsFilter: { funnelOrderType, funnelWindowInterval: 1 } };
      const { events } = (await ask(EVENTS, funnel)).results;
      for (const { event, success_count, failure_count } of events) {
        const counts = [true, false].map(
          async (isDone) => (await idsOf(did(event.event, isDone), EVENTS, funnel)).length,
        );
        expect(await Promise.all(counts)).toEqual([success_count, failure_count]);
      }
      const of = { funnelCorrelationType: "properties", funnelCorrelationNames: ["plan", "n", "none"] };
      for (const { event, success_count, failure_count } of (await ask(of, funnel)).results.events) {
        const [key, value] = event.event.split("::") as [string, string];
        const counts = [true, false].map(
          async (isDone) => (await idsOf(having(key, value, isDone), of, funnel)).length,
        );
        expect(await Promise.all(counts)).toEqual([success_count, failure_count]);
      }
    }
  });

  const PROPERTIES = { funnelCorrelationType: "properties", funnelCorrelationNames: ["plan"] };
  test.each<[JsonObject, JsonObject, JsonObject, string]>([
    [{}, EVENTS, {}, "source.funnelCorrelationPersonEntity: is missing"],
    [
      { funnelCorrelationPersonEntity: { kind: "ActionsNode", id: 7 } },
      EVENTS,
      {},
      "source.funnelCorrelationPersonEntity: must be an EventsNode with an event",
    ],
    [
      did("video", true, [{ key: "k", value: "x", operator: "unheard" }]),
      EVENTS,
      {},
      'source.funnelCorrelationPersonEntity.properties.0.operator: the operator "unheard" is not supported yet',
    ],
    [
      did("video", true, [{ key: "count() > 1", type: "hogql" }]),
      EVENTS,
      {},
      "source.funnelCorrelationPersonEntity.properties.0: must not be an aggregate",
    ],
    [{}, PROPERTIES, {}, "source.funnelCorrelationPropertyValues: must name at least one property"],
    [
      { funnelCorrelationPropertyValues: [{ key: "count() > 1", type: "hogql" }] },
      PROPERTIES,
      {},
      "source.funnelCorrelationPropertyValues.0: must not be an aggregate",
    ],
    [
      having("plan", "pro", null, { type: "unheard" }),
      PROPERTIES,
      {},
      'source.funnelCorrelationPropertyValues.0.type: a property of type "unheard" is not supported yet',
    ],
    [{ unheard: 1 }, EVENTS, {}, "source.unheard: unknown field"],
    [
      did("video", true),
      EVENTS,
      { series: [{ kind: "EventsNode", event: "start", math: "sum" }] },
      'source.source.source.source.series.0.math: the math "sum" of a step is not supported yet',
    ],
  ])("%j %j %j is refused", async (part, correlation, funnel, message) => {
    const { code, message: said } = await failure(idsOf(part, correlation, { ...FUNNEL, ...funnel }));
    expect([code, said]).toEqual(["invalid_query", message]);
  });
});

describe("a correlation", () => {
  test("of events: what happened between the first step and the last, once for each actor", async () => {
    const found = await ask({ funnelCorrelationType: "events" });
    expect(found.results.skewed).toBe(false);
    // Of 20 who bought 16 watched, of 20 who did not 0; those 20 met the error. Everybody clicked.
    expect(shown(found)).toEqual([
      ["video", 16, 0, "success"],
      ["error", 0, 20, "failure"],
      ["$autocapture", 20, 20, "failure"],
    ]);
    expect(found.results.events[0]!.odds_ratio).toBeCloseTo((17 * 21) / (5 * 1));
    expect(found.results.events[1]!.odds_ratio).toBeCloseTo((1 * 1) / (21 * 21));
  });

  test("leaves out names", async () => {
    const found = await ask({
      funnelCorrelationType: "events",
      funnelCorrelationExcludeEventNames: ["$autocapture", "error"],
    });
    expect(shown(found)).toEqual([["video", 16, 0, "success"]]);
  });

  test("of properties of events, with strings and numbers", async () => {
    const funnelCorrelationEventNames = ["video", "error"];
    const more = { funnelCorrelationType: "event_with_properties", funnelCorrelationEventNames };
    const found = await ask({ ...more, funnelCorrelationEventExcludePropertyNames: ["$group_0"] });
    expect(shown(found)).toEqual([
      ["video::quality::high", 16, 0, "success"],
      ["video::seconds::9", 16, 0, "success"],
      ["error::code::e1", 0, 20, "failure"],
    ]);
  });

  test("of clicks", async () => {
    const found = await ask({
      funnelCorrelationType: "event_with_properties",
      funnelCorrelationEventNames: ["$autocapture"],
    });
    expect(shown(found)).toEqual([
      ['$autocapture::elements_chain::click__~~__a:text="buy"', 20, 0, "success"],
      ['$autocapture::elements_chain::click__~~__a:text="no"', 0, 20, "failure"],
    ]);
    expect(found.results.events[0]!.event.elements).toMatchObject([{ tag_name: "a", text: "buy" }]);
  });

  test("of properties of people and of groups", async () => {
    const named = await ask({ funnelCorrelationType: "properties", funnelCorrelationNames: ["plan", "none"] });
    expect(shown(named)).toEqual([
      ["plan::pro", 20, 0, "success"],
      ["plan::free", 0, 20, "failure"],
      ["none::", 20, 20, "failure"],
    ]);
    const all = {
      funnelCorrelationType: "properties",
      funnelCorrelationNames: ["$all"],
      funnelCorrelationExcludeNames: ["n"],
    };
    expect(shown(await ask(all))).toEqual(shown(named).slice(0, 2));
    const groups = await ask(all, { ...FUNNEL, aggregation_group_type_index: 0 });
    expect(shown(groups)).toEqual([
      ["size::big", 2, 0, "success"],
      ["size::small", 0, 2, "failure"],
    ]);
  });

  test("says nothing where all, or none, came to the end", async () => {
    const series = ["start", "start"].map((event) => ({ kind: "EventsNode", event }));
    expect((await ask({ funnelCorrelationType: "events" }, { ...FUNNEL, series })).results).toEqual({
      events: [],
      skewed: true,
    });
  });

  test.each<[JsonObject, string]>([
    [{ funnelCorrelationType: "properties" }, "funnelCorrelationNames: must name at least one property, or $all"],
    [{ funnelCorrelationType: "event_with_properties" }, "funnelCorrelationEventNames: must name at least one event"],
    [
      { funnelCorrelationType: "else" },
      'funnelCorrelationType: must be one of events, properties, event_with_properties, not "else"',
    ],
  ])("%j is refused", async (more, message) => {
    const { code, message: said } = await failure(ask(more));
    expect([code, said]).toEqual(["invalid_query", message]);
  });
});
