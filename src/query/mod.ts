import type { Json } from "../types/mod.ts";
import { withEmbedded } from "./hogql/inside.ts";
import type { HogqlResponse } from "./hogql/mod.ts";
import { type EventsResponse, runEvents } from "./kinds/events/mod.ts";
import { runHogql } from "./kinds/hogql/mod.ts";
import { type QueryNode, readNode } from "./kinds/nodes.ts";
import { runTrends, type TrendsResponse } from "./kinds/trends/mod.ts";
import type { QueryContext } from "./source/context.ts";
import { ExplainingLake } from "./source/explainingLake.ts";
import { TimedLake } from "./source/timedLake.ts";

export { checkAction } from "./filter/actions.ts";
export { checkCohort } from "./filter/cohorts.ts";
export { OPERATOR_NAMES } from "./filter/operators.ts";
export type { HogqlResponse } from "./hogql/mod.ts";
export { closeParser } from "./hogql/mod.ts";
export { basisOf, WatchedRecords } from "./kinds/basis.ts";
export { withoutComment } from "./kinds/events/columns.ts";
export { endsOf } from "./kinds/events/ends.ts";
export type { EventsResponse } from "./kinds/events/mod.ts";
export { NODE_SCHEMAS, WRAPPERS } from "./kinds/nodes.ts";
export type { TrendsItem, TrendsResponse } from "./kinds/trends/mod.ts";
export { type GroupsQuery, type ListedGroup, listGroups } from "./list/groups.ts";
export { findPersons, type ListedPerson, listPersons, type PersonsQuery } from "./list/persons.ts";
export { eventValues, type ValuesQuery } from "./list/values.ts";
export { HogqlError } from "./shape/errors.ts";
export type { QueryContext } from "./source/context.ts";
export { displayName } from "./source/people.ts";
export type { ActionRecord, ActionStep, CohortRecord, QueryRecords } from "./source/records.ts";
export { NO_RECORDS } from "./source/records.ts";
export { jsonText } from "./source/slices.ts";
export { parseDate } from "./time/dates.ts";

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
