import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { compileEmbedded } from "../source/embedded.ts";
import type { EventsTable } from "../source/events.ts";
import { subjectOf } from "../source/subjects.ts";
import { anyOf, type Sql, sql, TRUE } from "../sql/sql.ts";
import { cohortOf, inCohort } from "./cohorts.ts";
import { elementCondition } from "./elementFilters.ts";
import { filterTree } from "./filterTree.ts";
import { anyElementCondition, operatorCondition } from "./operators.ts";

/**
 * Property filters of events (docs/queries.md#property-filters) as one condition that is never NULL where it matters:
 * it stands in WHERE or FILTER, so a NULL counts as false, and only negative operators spell out that a missing
 * property passes them. `filters` is what `filterTree` reads. Errors: TerminalError `invalid_query` that names the
 * place.
 */
export function filterCondition(
  filters: unknown,
  events: EventsTable,
  context: QueryContext,
  place = "properties",
): Sql {
  return filterTree((filters ?? null) as Json, place, (filter, at) => leaf(filter, events, context, at));
}

function leaf(filter: JsonObject, events: EventsTable, context: QueryContext, place: string): Sql {
  const { type = "event", key, operator = "exact", value = null } = filter;
  if (type === "empty") return TRUE;
  if (type === "cohort" || type === "static-cohort" || type === "precalculated-cohort") {
    return cohortCondition(filter, events, context, place);
  }
  if (key === undefined || key === null || key === "") return TRUE;
  if (typeof key !== "string") throw invalidQuery(`${place}.key`, `must be a string, not ${shown(key)}`);
  if (type === "hogql") return compileEmbedded(key, "condition", events, context, place);
  if (type === "element") {
    return elementCondition(key, operator, value, events.column("elements_chain"), { context, place });
  }
  const subject = subjectOf({ type, key, groupTypeIndex: filter.group_type_index ?? null }, events, context, place);
  const scope = { context, place, type: subject.type };
  const isList = LISTS.has(key) && (type ?? "event") === "event";
  return isList
    ? anyElementCondition(subject.text, operator, value, scope)
    : operatorCondition(subject.text, operator, value, scope);
}

/** Properties of events that are lists: a filter looks at their elements. */
const LISTS = new Set(["$exception_types", "$exception_values", "$exception_sources", "$exception_functions"]);

function cohortCondition(filter: JsonObject, events: EventsTable, context: QueryContext, place: string): Sql {
  const { value = null } = filter;
  const ids = (Array.isArray(value) ? value : [value]).filter((id) => id !== null && id !== "");
  if (ids.length === 0) return TRUE;
  const cohorts = ids.map((id) => cohortOf(id, context, `${place}.value`));
  const isMember = anyOf(cohorts.map((cohort) => inCohort(cohort, events.personId(), context)));
  const isNegated = filter.negation === true || filter.operator === "not_in";
  return isNegated ? sql`(NOT ${isMember})` : isMember;
}
