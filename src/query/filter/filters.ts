import type { JsonObject } from "../../types/mod.ts";
import { compare, constant, field, not } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { cohortOf, isCohortType } from "./cohorts.ts";
import { elementCondition } from "./elementFilters.ts";
import { anyOf, type Condition, filterTree } from "./filterTree.ts";
import { anyElementCondition, operatorCondition } from "./operators.ts";
import { hogqlOf, subjectOf } from "./subjects.ts";

/**
 * Property filters of events (docs/queries.md#property-filters) as conditions of a tree; none where nothing is asked.
 * A missing property passes negative operators only. Errors: TerminalError `invalid_query` that names the place.
 */
export function filtersOf(filters: unknown, context: QueryContext, place: string): Expression[] {
  const condition = filterTree(filters, place, (filter, at) => leaf(filter, context, at));
  return condition === null ? [] : [condition];
}

function leaf(filter: JsonObject, context: QueryContext, place: string): Condition {
  const { type = "event", key, operator = "exact", value = null } = filter;
  if (type === "empty") return null;
  if (isCohortType(type)) return cohortCondition(filter, context, place);
  if (key === undefined || key === null || key === "") return null;
  if (typeof key !== "string") throw invalidQuery(`${place}.key`, `must be a string, not ${shown(key)}`);
  if (type === "hogql") return hogqlOf(key, "condition", context, place);
  const scope = { context, place };
  if (type === "element") return elementCondition(key, operator, value, scope);
  const subject = subjectOf({ type, key, groupTypeIndex: filter.group_type_index ?? null }, context, place);
  const isList = LISTS.has(key) && (type ?? "event") === "event";
  return (isList ? anyElementCondition : operatorCondition)(subject, operator, value, scope);
}

/** Properties of events that are lists: a filter looks at their elements. */
const LISTS = new Set(["$exception_types", "$exception_values", "$exception_sources", "$exception_functions"]);

function cohortCondition(filter: JsonObject, context: QueryContext, place: string): Condition {
  const { value = null } = filter;
  const ids = (Array.isArray(value) ? value : [value]).filter((id) => id !== null && id !== "");
  const isMember = anyOf(
    ids.map((id) => compare(field("person_id"), "in cohort", constant(cohortOf(id, context, `${place}.value`).id))),
  );
  const isNegated = filter.negation === true || filter.operator === "not_in";
  return isNegated && isMember !== null ? not(isMember) : isMember;
}
