import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { askedFunnel, funnelOf } from "./funnelsArbitraries.ts";
import { correlate, type NaiveCorrelation } from "./naive/correlation.ts";
import { contextOf } from "./support.ts";
import { inMemory, rangeOf, recordsOf, worldOf } from "./trendsCases.ts";

setDefaultTimeout(CASES_MS);

// Random correlations over the random funnels of small worlds, by the engine and by plain loops: the numbers, and who is behind them.

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

const NAMES = ["view", "buy", "other"];
const asked = fc.record({
  funnel: askedFunnel.map((given) => ({
    ...given,
    // Many actors, some of whom come to the end; between the steps they do something else.
    events: given.events.map((event, i) => ({
      ...event,
      event: i % 3 === 0 ? "other" : event.event,
      distinctId: `p${1 + (i % 4)}`,
    })),
    steps: given.steps.slice(0, 2).map((step) => ({ ...step, properties: [] })),
    exclusions: [],
    // Properties as such: what a definition makes of them is a matter of filters.
    types: {},
    groupIndex: null,
    byDistinctId: false,
    aggregate: null,
  })),
  type: fc.constantFrom<NaiveCorrelation["type"]>("events", "events", "properties", "event_with_properties"),
  eventNames: fc.subarray(NAMES, { minLength: 1 }),
  excludedEvents: fc.oneof(fc.constant<string[]>([]), fc.subarray(NAMES, { maxLength: 1 })),
  excludedProperties: fc.oneof(fc.constant<string[]>([]), fc.subarray(["k", "n"], { maxLength: 1 })),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

interface Told {
  event: { event: string };
  success_count: number;
  failure_count: number;
}

/** The members of the node that ask for what the loops are asked for. */
function nodeOf({ type, ...o }: Asked, funnel: JsonObject): JsonObject {
  const members = {
    events: { funnelCorrelationExcludeEventNames: o.excludedEvents },
    properties: { funnelCorrelationNames: ["$all"], funnelCorrelationExcludeNames: o.excludedProperties },
    event_with_properties: {
      funnelCorrelationEventNames: o.eventNames,
      funnelCorrelationExcludeEventNames: o.excludedEvents,
      funnelCorrelationEventExcludePropertyNames: o.excludedProperties,
    },
  };
  const source = { kind: "FunnelsActorsQuery", source: funnel };
  return { kind: "FunnelCorrelationQuery", funnelCorrelationType: type, source, ...members[type] };
}

/** The part of a name; null where its value is nothing that a filter finds. */
function partOf({ type }: Asked, name: string): JsonObject | null {
  const [first = "", ...rest] = name.split("::");
  if (type === "events") return { funnelCorrelationPersonEntity: { kind: "EventsNode", event: name } };
  const [key, text] = type === "properties" ? [first, rest.join("::")] : [rest[0]!, rest.slice(1).join("::")];
  if (text === "" || text === "null" || /^[[{]/.test(text)) return null;
  const filter = { key, value: text, operator: "exact", type: type === "properties" ? "person" : "event" };
  if (type === "properties") return { funnelCorrelationPropertyValues: [filter] };
  return { funnelCorrelationPersonEntity: { kind: "EventsNode", event: first, properties: [filter] } };
}

test("random correlations agree with plain loops, and have as many people as they say", async () => {
  let behind = 0;
  const agrees = fc.asyncProperty(asked, async (given) => {
    const world = worldOf(given.funnel);
    const funnel = funnelOf(given.funnel, rangeOf(given.funnel, world));
    const { lake: own, teamId } = await inMemory(lake, world);
    const context = contextOf(own, {
      teamId,
      timezone: world.timezone,
      weekStartDay: world.weekStartDay,
      nowMs: world.nowMs,
      records: recordsOf(world),
      testAccountFilters: world.testAccountFilters as Json,
    });
    fc.pre(given.funnel.timezone !== "Pacific/Apia" || given.funnel.startDay !== "2011-12-29");
    const insight = nodeOf(given, { kind: "FunnelsQuery", ...JSON.parse(JSON.stringify(funnel)) });
    const { results } = (await runQuery(insight, context)) as unknown as { results: { events: Told[] } };
    const { totals, found } = correlate(funnel, given, world);
    if (totals.success.size === 0 || totals.failure.size === 0) return expect(results.events).toEqual([]);
    const told = results.events.map(({ event, success_count, failure_count }) => [
      event.event,
      success_count,
      failure_count,
    ]);
    const expected = told.map(([name]) => {
      const { success, failure } = found.get(String(name))!;
      return [name!, success.size, failure.size];
    });
    expect(told).toEqual(expected);
    // Ten for the end and ten against it are told.
    if (found.size <= 10) expect(told.length).toBe(found.size);
    for (const [name] of told) {
      const part = partOf(given, String(name));
      if (part === null) continue;
      const { success, failure } = found.get(String(name))!;
      for (const [isDone, actors] of [
        [true, success],
        [false, failure],
        [null, success.union(failure)],
      ] as const) {
        const source = {
          kind: "FunnelCorrelationActorsQuery",
          source: insight,
          funnelCorrelationPersonConverted: isDone,
          ...part,
        };
        const people = await runQuery({ kind: "ActorsQuery", source, select: ["id"], limit: 100 }, context);
        expect((people.results as [string][]).map(([id]) => id).sort()).toEqual(
          [...actors].map((actor) => personIdOf(teamId, actor)).sort(),
        );
        behind += actors.size;
      }
    }
  });
  await fc.assert(agrees, { numRuns: runs(270) });
  expect(behind).toBeGreaterThan(0);
});
