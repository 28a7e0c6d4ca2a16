import type { Json } from "../types/mod.ts";
import type { QueryContext } from "./context.ts";
import { TimedLake } from "./deadline.ts";
import { type EventsResponse, runEvents } from "./events/mod.ts";
import { ExplainingLake } from "./explain.ts";
import { withEmbedded } from "./hogql/embedded.ts";
import { type HogqlResponse, runHogql } from "./hogql/mod.ts";
import { type QueryNode, readNode } from "./nodes.ts";
import { runTrends, type TrendsResponse } from "./trends/mod.ts";

export { checkAction } from "./actions.ts";
export { basisOf, WatchedRecords } from "./basis.ts";
export { checkCohort } from "./cohorts.ts";
export type { QueryContext } from "./context.ts";
export { parseDate } from "./dates.ts";
export { HogqlError } from "./errors.ts";
export { withoutComment } from "./events/columns.ts";
export { endsOf } from "./events/ends.ts";
export type { EventsResponse } from "./events/mod.ts";
export { eventValues, type ValuesQuery } from "./events/values.ts";
export { type GroupsQuery, type ListedGroup, listGroups } from "./groupsList.ts";
export type { HogqlResponse } from "./hogql/mod.ts";
export { closeParser } from "./hogql/mod.ts";
export { NODE_SCHEMAS, WRAPPERS } from "./nodes.ts";
export { OPERATOR_NAMES } from "./operators.ts";
export { displayName } from "./people.ts";
export { findPersons, type ListedPerson, listPersons, type PersonsQuery } from "./personsList.ts";
export type { ActionRecord, ActionStep, CohortRecord, QueryRecords } from "./records.ts";
export { NO_RECORDS } from "./records.ts";
export { jsonText } from "./slices.ts";
export type { TrendsItem, TrendsResponse } from "./trends/mod.ts";

/** What PostHog's clients see, without the fields of the cache. */
export type QueryResponse = TrendsResponse | HogqlResponse | EventsResponse;

/**
 * Answers a query node; the wrappers InsightVizNode, DataTableNode and DataVisualizationNode give what their source gives.
 * A node with `explain: true` gets the statements, too, that were run for it.
 * Errors: TerminalError `invalid_query` (shape, options), `invalid_hogql` (a `HogqlError` with the place in the text),
 * and those of `Lake.query`.
 */
export async function runQuery(node: Json, context: QueryContext): Promise<QueryResponse> {
  const query = readNode(node);
  const sources = [node, context.testAccountFilters ?? null];
  const endsAtMs = performance.now() + context.limits.timeoutMs;
  const timed = { ...context, endsAtMs, lake: new TimedLake(context.lake, endsAtMs) };
  return withEmbedded(sources, timed, async (embedded) => {
    const prepared = { ...timed, embedded };
    if (query.explain !== true) return run(query, prepared);
    const lake = new ExplainingLake(timed.lake);
    const response = await run(query, { ...prepared, lake });
    return { ...response, explain: lake.lines };
  });
}

function run(query: QueryNode, context: QueryContext): Promise<QueryResponse> {
  switch (query.kind) {
    case "HogQLQuery":
      return runHogql(query, context);
    case "EventsQuery":
      return runEvents(query, context);
    case "TrendsQuery":
      return runTrends(query, context);
  }
}
