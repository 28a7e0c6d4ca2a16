import type { Json } from "../types/mod.ts";
import type { QueryContext } from "./context.ts";
import { parseEmbedded } from "./hogql/embedded.ts";
import { type HogqlResponse, runHogql } from "./hogql/mod.ts";
import { type QueryNode, readNode } from "./nodes.ts";
import { runTrends, type TrendsResponse } from "./trends/mod.ts";

export { checkAction } from "./actions.ts";
export { basisOf } from "./basis.ts";
export { checkCohort } from "./cohorts.ts";
export type { QueryContext } from "./context.ts";
export { parseDate } from "./dates.ts";
export { HogqlError } from "./errors.ts";
export type { HogqlResponse } from "./hogql/mod.ts";
export { closeParser } from "./hogql/mod.ts";
export { WRAPPERS } from "./nodes.ts";
export type { ActionRecord, ActionStep, CohortRecord, QueryRecords } from "./records.ts";
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
  const sources = [node, context.testAccountFilters ?? null, ...stepFilters(query, context)];
  const embedded = await parseEmbedded(sources, context.limits.textMaxBytes);
  const prepared = { ...context, embedded };
  return query.kind === "HogQLQuery" ? runHogql(query, prepared) : runTrends(query, prepared);
}

/** The filters of the actions that a query counts. */
function stepFilters(query: QueryNode, { records }: QueryContext): Json[] {
  const series = query.kind === "TrendsQuery" ? query.series : [];
  const actions = series.map((node) => (node.kind === "ActionsNode" ? records.action(Number(node.id)) : null));
  return actions.flatMap((action) => action?.steps.map((step) => step.properties) ?? []);
}
