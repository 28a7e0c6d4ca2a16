import type { Json } from "../types/mod.ts";
import type { QueryContext } from "./context.ts";
import { type HogqlResponse, runHogql } from "./hogql/mod.ts";
import { readNode } from "./nodes.ts";
import { runTrends, type TrendsResponse } from "./trends/mod.ts";

export { basisOf } from "./basis.ts";
export type { QueryContext } from "./context.ts";
export { parseDate } from "./dates.ts";
export { HogqlError } from "./errors.ts";
export type { HogqlResponse } from "./hogql/mod.ts";
export { closeParser } from "./hogql/mod.ts";
export { WRAPPERS } from "./nodes.ts";
export type { ActionRecord, ActionStep, CohortRecord, PropertyOwner, PropertyType, QueryRecords } from "./records.ts";
export { NO_RECORDS } from "./records.ts";
export type { TrendsItem, TrendsResponse } from "./trends/mod.ts";

/** What PostHog's clients see, without the fields of the cache. */
export type QueryResponse = TrendsResponse | HogqlResponse;

/**
 * Answers a query node; the wrappers InsightVizNode, DataTableNode and DataVisualizationNode give what their source gives.
 * Errors: TerminalError `invalid_query` (shape, options), `invalid_hogql` (a `HogqlError` with the place in the text),
 * and those of `Lake.query`.
 */
export async function runQuery(node: Json, context: QueryContext): Promise<QueryResponse> {
  const query = readNode(node);
  return query.kind === "HogQLQuery" ? runHogql(query, context) : runTrends(query, context);
}
