import type { Json, JsonObject } from "../../types/mod.ts";
import { compare, constant, field, not } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import type { CohortRecord } from "../source/records.ts";
import { type Condition, filterTree } from "./filterTree.ts";
import { operatorCondition } from "./operators.ts";
import { propertySubject } from "./subjects.ts";

/**
 * The cohort of an id (a number, or its text) in this project. Errors: TerminalError `invalid_query` that names it when
 * there is none.
 */
export function cohortOf(id: Json, context: QueryContext, place: string): CohortRecord {
  const number = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
  const cohort = typeof number === "number" ? context.records.cohort(number) : null;
  if (cohort === null) throw invalidQuery(place, `there is no cohort ${shown(id)}`);
  return cohort;
}

/** Filters of persons and cohorts as conditions on the table `persons`. Errors: TerminalError `invalid_query`. */
export function personFilters(filters: Json, context: QueryContext, place: string): Expression[] {
  const condition = filterTree(filters, place, (filter, at) => leaf(filter, at, context));
  return condition === null ? [] : [condition];
}

function leaf(filter: JsonObject, place: string, context: QueryContext): Condition {
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
