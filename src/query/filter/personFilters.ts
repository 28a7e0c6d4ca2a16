import type { Json, JsonObject } from "../../types/mod.ts";
import { compare, constant, field, not } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { behaviorCondition } from "./behaviors.ts";
import { cohortOf } from "./cohorts.ts";
import { type Condition, filterTree } from "./filterTree.ts";
import { operatorCondition } from "./operators.ts";
import { propertySubject } from "./subjects.ts";

/**
 * Filters of persons, cohorts and behavior as conditions on the table `persons`. Errors: TerminalError `invalid_query` that names
 * the place.
 */
export function personFilters(filters: Json, context: QueryContext, place: string): Expression[] {
  const condition = filterTree(filters, place, (filter, at) => leaf(filter, at, context));
  return condition === null ? [] : [condition];
}

function leaf(filter: JsonObject, place: string, context: QueryContext): Condition {
  if (filter.type === "behavioral") return behaviorCondition(filter, context, place);
  const isNegated = filter.negation === true;
  if (filter.type === "cohort") {
    const cohort = cohortOf(filter.value ?? null, context, `${place}.value`);
    const op = isNegated || filter.operator === "not_in" ? "not in cohort" : "in cohort";
    return compare(field("id"), op, constant(cohort.id));
  }
  if (filter.type !== "person")
    throw notSupported(`${place}.type`, `a filter of persons of type ${shown(filter.type)}`);
  const { key } = filter;
  if (typeof key !== "string") throw invalidQuery(`${place}.key`, `must be a string, not ${shown(key)}`);
  const subject = propertySubject(field("properties", key), { type: "person" }, key, context);
  const condition = operatorCondition(subject, filter.operator ?? "exact", filter.value ?? null, { context, place });
  return isNegated ? not(condition ?? constant(true)) : condition;
}
