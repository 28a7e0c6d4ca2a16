import { expect } from "bun:test";
import { withEmbedded } from "../../src/query/hogql/embedding.ts";
import { compileTree } from "../../src/query/hogql/mod.ts";
import { field, from, select } from "../../src/query/hogql/syntax/build.ts";
import { ParsedQuery, type QueryContext } from "../../src/query/mod.ts";
import { selectRows } from "../../src/query/source/statement.ts";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import { type AskedFunnel, funnelOf } from "./funnelsArbitraries.ts";
import { evaluateFunnel, type NaiveFunnel, type NaiveResult } from "./naive/funnels.ts";
import { walk } from "./naive/walk.ts";
import type { World } from "./naive/world.ts";
import { ask, contextOf } from "./support.ts";
import { type Place, rangeOf, recordsOf, worldOf } from "./trendsCases.ts";

// Asks the engine and plain loops the same funnel, and compares.

/** Asks both and compares. `skip` is called for what has no right answer. */
export async function checkFunnelCase(
  given: AskedFunnel,
  place: (world: World) => Promise<Place>,
  skip: () => void,
): Promise<void> {
  const world = worldOf(given);
  const query = funnelOf(given, rangeOf(given, world));
  if (given.timezone === "Pacific/Apia" && given.startDay === "2011-12-29") skip();
  const { lake, teamId } = await place(world);
  const { timezone, weekStartDay, nowMs } = world;
  const context = contextOf(lake, {
    teamId,
    timezone,
    weekStartDay,
    nowMs,
    records: recordsOf(world),
    aggregateByDistinctId: world.byDistinctId,
    testAccountFilters: world.testAccountFilters as Json,
  });
  const node: JsonObject = { kind: "FunnelsQuery", ...JSON.parse(JSON.stringify(query)) };
  const { results } = await ask(node, context);
  const expected = evaluateFunnel(query, world, walk);
  expect(rounded(shownOf(query, results))).toEqual(rounded(expectedOf(query, expected)));
  const idOf = (actor: string): string => (arePersons(query, world) ? personIdOf(teamId, actor) : actor);
  // With recordings each has an event that did the step: the same actors, by another statement.
  for (const [i, { part, actors }] of somePlaces(query, expected, given.range[0]).entries()) {
    const ids = [...new Set(actors.map(idOf))].sort();
    expect(await actorsBehind(node, { ...part, ...(i === 1 && { includeRecordings: true }) }, context)).toEqual(ids);
  }
}

const arePersons = (
  { aggregation_group_type_index: group, funnelsFilter }: NaiveFunnel,
  { byDistinctId }: World,
): boolean => group === null && !byDistinctId && [null, "person_id"].includes(funnelsFilter.funnelAggregateByHogQL);

/** The actors behind a part of a funnel, each once. */
export async function actorsBehind(node: JsonObject, part: JsonObject, context: QueryContext): Promise<string[]> {
  const parsed = new ParsedQuery(node);
  return withEmbedded(parsed.hogqlInside(context), context, async (trees) => {
    const own = { ...context, parsed: trees };
    const { query } = await parsed.query.actors!.behind({ kind: "FunnelsActorsQuery", ...part }, own);
    const { sql, span } = compileTree(select([field("actor_id")], { select_from: from(query) }), own);
    const rows = await selectRows<[string]>(sql, { span, maxRows: 200_000 }, own);
    return rows.map(([id]) => id).sort();
  });
}

interface Asked {
  part: JsonObject;
  actors: string[];
}

/** Two of the places of an answer that has numbers. */
function somePlaces(query: NaiveFunnel, results: NaiveResult[], seed: number): Asked[] {
  const all = results.flatMap((result) => placesOf(query, result));
  return all.length === 0 ? [] : [all[seed % all.length]!, all[Math.floor(seed / 7) % all.length]!];
}

function placesOf({ funnelsFilter, series }: NaiveFunnel, result: NaiveResult): Asked[] {
  const of: JsonObject = {
    ...(result.period === "previous" && { compare: "previous" }),
    ...(result.value !== null && { funnelStepBreakdown: result.value }),
  };
  if (funnelsFilter.funnelVizType === "trends") {
    return result.days.flatMap((day, i) => {
      const part = { ...of, funnelTrendsEntrancePeriodStart: day };
      return [
        { part: { ...part, funnelTrendsDropOff: false }, actors: result.converted[i]! },
        { part: { ...part, funnelTrendsDropOff: true }, actors: result.dropped[i]! },
      ];
    });
  }
  return series.flatMap((_, i) => [
    { part: { ...of, funnelStep: i + 1 }, actors: result.steps[i]!.actors },
    ...(i === 0 ? [] : [{ part: { ...of, funnelStep: -(i + 1) }, actors: result.steps[i]!.dropped }]),
  ]);
}

/** Results as a text of numbers, by the value and the period that they are of. */
type Shown = Record<string, unknown>;

function shownOf({ funnelsFilter }: NaiveFunnel, results: unknown): Shown {
  const items = (Array.isArray(results) ? results : [results]) as Record<string, unknown>[];
  const lists = Array.isArray(items[0])
    ? (items as unknown as Record<string, unknown>[][])
    : listsOf(items, funnelsFilter);
  return Object.fromEntries(
    lists.map((list) => [keyOf(list[0]!), list.map(({ count, data: _data, ...item }) => pick({ count, ...item }))]),
  );
}

/** The steps of each period by themselves; else an item by itself. */
function listsOf(items: Record<string, unknown>[], { funnelVizType }: NaiveFunnel["funnelsFilter"]) {
  if (funnelVizType !== "steps") return items.map((item) => [item]);
  return [...Map.groupBy(items, ({ compare_label: label }) => label).values()];
}

const keyOf = ({ compare_label: label = "current", breakdown_value: value = null }: Record<string, unknown>): string =>
  JSON.stringify([label, value]);

const MEMBERS = [
  "count",
  "average_conversion_time",
  "median_conversion_time",
  "reached_from_step_count",
  "reached_to_step_count",
  "bins",
];
const pick = (item: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => MEMBERS.includes(name)));

function expectedOf(query: NaiveFunnel, results: NaiveResult[]): Shown {
  const { funnelVizType } = query.funnelsFilter;
  const isBroken = query.breakdownFilter !== null && funnelVizType !== "time_to_convert";
  const hasAny = (result: NaiveResult) =>
    funnelVizType === "steps" ? result.steps[0]!.count > 0 : result.from.some((n) => n > 0);
  const isOneShown = funnelVizType !== "steps" || results.some(hasAny);
  const shown = results.filter((result) => (isBroken ? hasAny(result) : isOneShown));
  return Object.fromEntries(
    shown.map((result) => {
      const key = JSON.stringify([result.period, result.value]);
      if (funnelVizType === "trends") {
        return [
          key,
          [{ count: result.from.length, reached_from_step_count: result.from, reached_to_step_count: result.to }],
        ];
      }
      const { bins, average } = result.times;
      if (funnelVizType === "time_to_convert") return [key, [{ bins, average_conversion_time: average }]];
      return [
        key,
        result.steps.map(({ count, average, median }) => ({
          count,
          average_conversion_time: average,
          median_conversion_time: median,
        })),
      ];
    }),
  );
}

/** Averages depend on the order of their sums in the last digits. */
const rounded = (shown: Shown): unknown =>
  JSON.parse(JSON.stringify(shown), (_, value) =>
    typeof value === "number" ? Number(value.toPrecision(9)) + 0 : value,
  );
