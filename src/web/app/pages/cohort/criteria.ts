import { isComplete } from "../../question/operators.ts";
import type { PropertyFilter } from "../../question/types.ts";
import { type Behavior, isBehavior, isWhole } from "./behavior.ts";

/** Conditions of which all or any must hold, as a cohort has them (docs/queries.md, "Cohorts"). */
export interface Criteria {
  type: "AND" | "OR";
  values: readonly Criterion[];
}
export type Criterion = Criteria | Behavior | PropertyFilter;

export const NO_CRITERIA: Criteria = { type: "AND", values: [] };

export const isGroup = (one: Criterion): one is Criteria =>
  (one.type === "AND" || one.type === "OR") && !("key" in one && typeof one.key === "string");

/** The conditions of a cohort in any of the forms that they have: a group, a list, a single one, none. */
export function criteriaOf(filters: unknown): Criteria {
  const { properties } = (filters ?? {}) as { properties?: unknown };
  const root = read(properties);
  if (root === null) return NO_CRITERIA;
  return isGroup(root) ? root : { type: "AND", values: [root] };
}

function read(json: unknown): Criterion | null {
  if (Array.isArray(json)) return { type: "AND", values: json.flatMap((one) => read(one) ?? []) };
  if (typeof json !== "object" || json === null) return null;
  const { type, values } = json as { type?: unknown; values?: unknown };
  if (type !== "AND" && type !== "OR") return json as Criterion;
  return { ...json, type, values: Array.isArray(values) ? values.flatMap((one) => read(one) ?? []) : [] };
}

/** What is said to its end: without conditions that are half said, and without groups that say nothing. */
export function wholeOf(criteria: Criteria): Criteria {
  const values = criteria.values.flatMap((one): Criterion[] => {
    if (!isGroup(one)) return isSaid(one) ? [one] : [];
    const inner = wholeOf(one);
    return inner.values.length === 0 ? [] : [inner];
  });
  return { ...criteria, values };
}

const isSaid = (one: Behavior | PropertyFilter): boolean => (isBehavior(one) ? isWhole(one) : isComplete(one));

/** Whether something in it is half said. */
export function hasUnsaid(criteria: Criteria): boolean {
  return criteria.values.some((one) => (isGroup(one) ? hasUnsaid(one) : !isSaid(one)));
}

/** The group with another item in a place; null takes it away. */
export function withItem(criteria: Criteria, index: number, item: Criterion | null): Criteria {
  const { values } = criteria;
  return { ...criteria, values: item === null ? values.toSpliced(index, 1) : values.with(index, item) };
}

export const withAdded = (criteria: Criteria, item: Criterion): Criteria => ({
  ...criteria,
  values: [...criteria.values, item],
});
