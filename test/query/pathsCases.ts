import { expect } from "bun:test";
import type { PathsItem } from "../../src/query/kinds/paths/run.ts";
import { type QueryContext, runQuery } from "../../src/query/mod.ts";
import { type Json, type JsonObject, personIdOf } from "../../src/types/mod.ts";
import type { TestEvent } from "../support/memoryLake.ts";
import { behind, edgesOf, type NaivePart, type NaivePaths } from "./naive/paths.ts";
import type { World } from "./naive/world.ts";
import { type Asked, funnelPathsOf } from "./pathsArbitraries.ts";
import { contextOf } from "./support.ts";
import { ACTIONS, COHORTS, type Place, recordsOf } from "./trendsCases.ts";

// Asks the engine and plain loops the same, and compares.

const BASE_MS = Date.parse("2020-03-07T00:00:00Z");
/** In the evening of the day that most events are of. */
const NOW_MS = BASE_MS + 19 * 3_600_000;

function worldOf(given: Asked): World {
  const events = given.events.map(
    ({ offsetMs, properties, groups, ...rest }): TestEvent => ({
      ...rest,
      properties: { ...properties, ...groups },
      timestampMs: BASE_MS + offsetMs,
    }),
  );
  return { ...given, events, cohorts: COHORTS, actions: ACTIONS, weekStartDay: 0, nowMs: NOW_MS };
}

/** Asks both and compares: the edges, and who is behind some of them. */
export async function checkPaths(given: Asked, place: (world: World) => Promise<Place>): Promise<void> {
  const world = worldOf(given);
  const query: NaivePaths = {
    dateRange: given.range,
    properties: given.properties,
    filterTestAccounts: given.filterTestAccounts,
    aggregation_group_type_index: given.groupIndex,
    pathsFilter: given.pathsFilter,
    funnelPathsFilter: funnelPathsOf(given),
  };
  const { pathReplacements, localPathCleaningFilters = [] } = given.pathsFilter;
  const rules = [...(pathReplacements === true ? given.teamRules : []), ...localPathCleaningFilters];
  const { lake, teamId } = await place(world);
  const context = contextOf(lake, {
    teamId,
    timezone: world.timezone,
    nowMs: world.nowMs,
    records: recordsOf(world),
    aggregateByDistinctId: world.byDistinctId,
    testAccountFilters: world.testAccountFilters as Json,
    pathCleaningFilters: given.teamRules as Json,
  });
  const node = { kind: "PathsQuery", ...JSON.parse(JSON.stringify(query)) };
  if (node.funnelPathsFilter !== null) node.funnelPathsFilter.funnelSource.kind = "FunnelsQuery";
  const edges = (await runQuery(node, context)).results as PathsItem[];
  const expected = edgesOf(query, rules, world);
  expect(edges.map(rounded)).toEqual(expected.map(rounded));

  const { aggregation_group_type_index: group } = query;
  const idOf = (actor: string) => (group !== null || world.byDistinctId ? actor : personIdOf(teamId, actor));
  for (const part of partsOf(edges, given.events.length)) {
    const found = await actorsOf(node, part, context);
    const wanted = [...behind(query, part, rules, world)].map(([actor, count]): [string, number] => [
      idOf(actor),
      count,
    ]);
    expect(found).toEqual(wanted.toSorted(byId));
    const edge = edges.find(({ source, target }) => source === part.pathStartKey && target === part.pathEndKey);
    if (edge !== undefined) expect(found.reduce((sum, [, count]) => sum + count, 0)).toBe(edge.value);
  }
}

const rounded = (edge: PathsItem): PathsItem => ({
  ...edge,
  average_conversion_time: Number(edge.average_conversion_time.toPrecision(9)),
});

/** An edge; and of what goes out of a step or into one, who ends at one, and everybody, one by chance. */
function partsOf(edges: readonly PathsItem[], chance: number): NaivePart[] {
  const edge = edges.at(chance % 2 === 0 ? 0 : -1);
  if (edge === undefined) return [{}];
  const { source, target } = edge;
  const others = [{ pathStartKey: source }, { pathEndKey: source }, { pathDropoffKey: target }, {}];
  return [{ pathStartKey: source, pathEndKey: target }, others[chance % others.length]!];
}

const byId = ([a]: [string, number], [b]: [string, number]): number => (a < b ? -1 : 1);

/** How often each actor took a part, by their ids. */
export async function actorsOf(node: JsonObject, part: NaivePart, context: QueryContext): Promise<[string, number][]> {
  const pathsFilter = { ...(node.pathsFilter as JsonObject | undefined), ...part };
  const source = { kind: "InsightActorsQuery", source: { ...node, pathsFilter } };
  const select = ["actor_id", "event_count"];
  const { results } = await runQuery({ kind: "ActorsQuery", source, select, limit: 1000 }, context);
  return (results as [string, number][]).toSorted(byId);
}
