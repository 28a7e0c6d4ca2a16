import type { Json } from "../types/mod.ts";
import { withEmbedded } from "./hogql/embedding.ts";
import type { QueryResponse } from "./kinds/kind.ts";
import { ParsedQuery } from "./parsed.ts";
import { checkExpressions, withExpressions } from "./regularExpressions.ts";
import { asObject } from "./shape/shapes.ts";
import type { QueryContext } from "./source/context.ts";
import { ExplainingLake } from "./source/explainingLake.ts";
import { TimedLake } from "./source/timedLake.ts";

export { compileForExport, type ExportContext } from "./exporting.ts";
export { BEHAVIORS } from "./filter/behaviorNode.ts";
export { isCohortType } from "./filter/cohorts.ts";
export { OPERATOR_NAMES } from "./filter/operators.ts";
export { WatchedRecords } from "./filter/watchedRecords.ts";
export { HELP, helpKindOf } from "./help/mod.ts";
export { checkAction, checkCohort } from "./hogql/embedding.ts";
export { closeParser, type HogqlResponse } from "./hogql/mod.ts";
export { NULL_VALUE, OTHER_VALUE } from "./insight/breakdowns.ts";
export type { ActorsResponse } from "./kinds/actors/run.ts";
export { withoutComment } from "./kinds/events/columns.ts";
export { endsOf } from "./kinds/events/ends.ts";
export type { EventsResponse } from "./kinds/events/run.ts";
export { LISTS, type Overrides, type QueryResponse, type Table } from "./kinds/kind.ts";
export { ANSWERED, kindsListedAs, nodeOfLegacy, SAVED } from "./kinds/mod.ts";
export type { TrendsItem, TrendsResponse } from "./kinds/trends/result.ts";
export { eventVolumes } from "./list/eventNames.ts";
export { type ListedGroup, listGroups } from "./list/groups.ts";
export { type CountedValue, groupValues, personValues } from "./list/ownerValues.ts";
export { cohortsOfPerson } from "./list/personCohorts.ts";
export { findPersons, type ListedPerson, listPersons } from "./list/persons.ts";
export { relatedGroups, relatedPersons, type Subject } from "./list/related.ts";
export { eventValues } from "./list/values.ts";
export { overridden, ParsedQuery, WRAPPERS, withSource } from "./parsed.ts";
export { HogqlError } from "./shape/errors.ts";
export { textLimitsOf } from "./shape/textLimits.ts";
export type { QueryContext } from "./source/context.ts";
export { displayName } from "./source/people.ts";
export type {
  ActionRecord,
  ActionStep,
  CohortRecord,
  QueryRecords,
} from "./source/records.ts";
export { jsonText } from "./source/slices.ts";
export { parseDate } from "./time/dates.ts";

export { checkExpressions };

/**
 * Answers a query node, or what was parsed of one; the wrappers InsightVizNode, DataTableNode and DataVisualizationNode give
 * what their source gives. A node with `explain: true` gets the statements, too, that were run for it.
 * Errors: TerminalError `invalid_query` (shape, options), `invalid_hogql` (a `HogqlError` with the place in the text),
 * and those of `Lake.query`.
 */
export async function runQuery(asked: Json | ParsedQuery, context: QueryContext): Promise<QueryResponse> {
  const node = asked instanceof ParsedQuery ? asked : new ParsedQuery(asObject(asked, ""));
  const { query } = node;
  const endsAtMs = performance.now() + context.limits.timeoutMs;
  const timed = { ...context, endsAtMs, lake: new TimedLake(context.lake, endsAtMs) };
  const answered = withEmbedded(node.hogqlInside(context), timed, async (parsed) => {
    const prepared = { ...timed, parsed };
    if (!query.explain) return query.run(prepared);
    const lake = new ExplainingLake(timed.lake);
    const response = await query.run({ ...prepared, lake });
    return { ...response, explain: lake.lines };
  });
  return withExpressions(node, timed, answered);
}
