import type { GroupIndex } from "../../../types/mod.ts";
import { printQuery } from "../../hogql/syntax/print.ts";
import { runListing } from "../../list/listing.ts";
import type { QueryContext } from "../../source/context.ts";
import { mapInSlices } from "../../source/slices.ts";
import { checkZone } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import type { ActorsQuery } from "./node.ts";
import { planActors } from "./plan.ts";
import { readActorsOf } from "./records.ts";
import { ALL_PERSONS, type Source } from "./source.ts";

export interface ActorsResponse extends QueryResponse {
  /** Cells in the order of `columns`. */
  results: unknown[][];
  /** As they were asked for. */
  columns: string[];
  /** ClickHouse's type names. */
  types: string[];
  hogql: string;
  limit: number;
  offset: number;
  hasMore: boolean;
  /** Actors of the page of which nothing is known but that they did something. */
  missing_actors_count: number;
  /** The type of which they are groups; null for people. */
  group_type_index: GroupIndex | null;
}

/**
 * Lists the people or groups behind a number, or all people: one statement for the page, and what is known of them.
 * Errors: TerminalError `invalid_query` and `invalid_hogql`, and those of `Lake.query`.
 */
export async function runActors(
  query: ActorsQuery,
  source: Source | null,
  context: QueryContext,
): Promise<ActorsResponse> {
  checkZone(context.timezone);
  const found = source === null ? ALL_PERSONS : await source.find(context);
  const plan = await planActors(query, found, context);
  const { columns, tree, isGrouped, group } = plan;
  const answer = await runListing(tree, context, found.placeholders);
  const areShown = !isGrouped && columns.some(({ cell }) => cell !== undefined);
  const ids = areShown ? answer.results.map((row) => String(row.at(-1))) : [];
  const actors = await readActorsOf(ids, group, context);
  const results = await mapInSlices(answer.results, (row) => {
    const id = String(row.at(-1));
    return columns.map(({ cell }, i) => (cell === undefined ? row[i] : cell(id, actors.get(id), context)));
  });
  return {
    results,
    columns: columns.map(({ name }) => name),
    types: columns.map((_, i) => answer.types[i]![1]),
    hogql: printQuery(tree),
    limit: answer.limit,
    offset: answer.offset,
    hasMore: answer.hasMore,
    group_type_index: group,
    missing_actors_count: ids.length - actors.size,
    error: null,
    timings: answer.timings,
  };
}
