import { parseUuid } from "../../../types/mod.ts";
import { filtersOf } from "../../filter/filters.ts";
import { testAccountConditions } from "../../filter/testAccounts.ts";
import { and, call, compare, constant, embedded, field, tuple } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { invalidQuery } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import type { Span } from "../../time/dates.ts";
import { atMs } from "../../time/zone.ts";
import { type Ends, endConditions, TIME, timeOf } from "./ends.ts";
import type { EventsQuery } from "./node.ts";

/**
 * All that a query says of its events but for `where`: those between `ends`, and none outside of `narrowed`.
 * Errors: TerminalError `invalid_query`.
 */
export function conditionsOf(
  query: EventsQuery,
  { ends, narrowed: { fromMs, toMs } }: { ends: Ends; narrowed: Span },
  context: QueryContext,
): Expression[] {
  const at = (ms: number) => timeOf(atMs(ms, context.timezone));
  return [
    ...eventConditions(query),
    ...filterConditions(query, context),
    ...endConditions(ends),
    ...(fromMs === null ? [] : [compare(TIME, ">=", at(fromMs))]),
    ...(toMs === null ? [] : [compare(TIME, "<=", at(toMs))]),
  ];
}

// Under the table's name: a column of SELECT may have that of the field.
function eventConditions({ event, events, personId }: EventsQuery): Expression[] {
  const conditions: Expression[] = [];
  const name = field("events", "event");
  if (event != null) conditions.push(compare(name, "==", constant(event)));
  if (events != null && events.length > 0) conditions.push(compare(name, "in", tuple(...events.map(constant))));
  if (personId != null) {
    // Of something else that names a person there are no events.
    const id = parseUuid(personId);
    conditions.push(id === null ? constant(false) : compare(field("events", "person_id"), "==", constant(id)));
  }
  return conditions;
}

function filterConditions(query: EventsQuery, context: QueryContext): Expression[] {
  const { actionId, properties, fixedProperties, filterTestAccounts } = query;
  if (actionId != null && context.records.action(actionId) === null) {
    throw invalidQuery("actionId", `there is no action ${actionId}`);
  }
  const conditions = and([
    ...(actionId == null ? [] : [call("matchesAction", constant(actionId))]),
    ...filtersOf(properties, context, "properties"),
    ...filtersOf(fixedProperties, context, "fixedProperties"),
    ...(filterTestAccounts ? testAccountConditions(context) : []),
  ]);
  return conditions === null ? [] : [embedded(conditions, "condition", "properties")];
}
