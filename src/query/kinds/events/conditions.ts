import { parseUuid } from "../../../types/mod.ts";
import { filtersOf } from "../../filter/filters.ts";
import { conditionsIn, eventsScope } from "../../hogql/compile/embedded.ts";
import type { PlaceholderValue } from "../../hogql/compile/scope.ts";
import { call, constant } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { conditionIn } from "../../list/listing.ts";
import { invalidQuery } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import type { EventsTable } from "../../source/events.ts";
import { FALSE, integer, isOneOf, type Sql, sql, TRUE, text } from "../../sql/sql.ts";
import type { Span } from "../../time/dates.ts";
import { type Ends, endConditions } from "./ends.ts";
import type { EventsQuery } from "./node.ts";

/**
 * All that a query says of its events but for `where`, as what a placeholder of its HogQL stands for: those between `ends`,
 * and none outside of `narrowed`. Errors: TerminalError `invalid_query`.
 */
export function conditionOf(
  query: EventsQuery,
  { ends, narrowed }: { ends: Ends; narrowed: Span },
  context: QueryContext,
): PlaceholderValue {
  // A file too many does no harm.
  const bounds = {
    fromMs: narrowed.fromMs ?? ends.after?.at.epochMilliseconds ?? null,
    toMs: narrowed.toMs ?? ends.before.at.epochMilliseconds + 1,
  };
  const filters = filterConditions(query, context);
  const at = (ms: number) => sql`make_timestamp_ms(${integer(ms)})`;
  return conditionIn((scope) => {
    const { table } = scope.events()!;
    const timestamp = table.column("timestamp");
    return [
      ...eventConditions(query, table),
      ...conditionsIn(filters, eventsScope(table, scope.compilation)),
      ...endConditions(ends, timestamp, () => table.column("uuid")),
      narrowed.fromMs === null ? TRUE : sql`${timestamp} >= ${at(narrowed.fromMs)}`,
      narrowed.toMs === null ? TRUE : sql`${timestamp} <= ${at(narrowed.toMs)}`,
    ];
  }, bounds);
}

function eventConditions(query: EventsQuery, table: EventsTable): Sql[] {
  const conditions: Sql[] = [];
  if (query.event != null) conditions.push(isOneOf(table.column("event"), [query.event]));
  if (query.events != null && query.events.length > 0) conditions.push(isOneOf(table.column("event"), query.events));
  if (query.personId != null) {
    // Of something else that names a person there are no events.
    const id = parseUuid(query.personId);
    conditions.push(id === null ? FALSE : sql`${table.personId()} = CAST(${text(id)} AS UUID)`);
  }
  return conditions;
}

function filterConditions(query: EventsQuery, context: QueryContext): Expression[] {
  const { actionId, properties, fixedProperties, filterTestAccounts } = query;
  if (actionId != null && context.records.action(actionId) === null) {
    throw invalidQuery("actionId", `there is no action ${actionId}`);
  }
  return [
    ...(actionId == null ? [] : [call("matchesAction", constant(actionId))]),
    ...filtersOf(properties, context, "properties"),
    ...filtersOf(fixedProperties, context, "fixedProperties"),
    ...(filterTestAccounts ? filtersOf(context.testAccountFilters, context, "test_account_filters") : []),
  ];
}
