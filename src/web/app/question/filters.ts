import { dateText } from "./dateText.ts";
import { propertyLabel } from "./names.ts";
import { firstOperator, operatorLabel, type ValueType, valueForm, valuesOf } from "./operators.ts";
import type { FilterGroup, PickedProperty, PropertyFilter } from "./types.ts";

export type Group = FilterGroup["values"][number];
const EMPTY: FilterGroup = { type: "AND", values: [] };

const isGroup = (value: unknown): value is { type: "AND" | "OR"; values: readonly unknown[] } => {
  const { type, values } = (value ?? {}) as { type?: unknown; values?: unknown };
  return (type === "AND" || type === "OR") && Array.isArray(values);
};

/** An incomplete filter asks nothing (docs/queries.md#property-filters). */
const isFilter = (value: unknown): value is PropertyFilter => {
  const { type, key } = (value ?? {}) as Partial<PropertyFilter>;
  return isGroup(value) || typeof key === "string" || type === "cohort";
};

/**
 * Filters in any of the forms that nodes have (a list, one level, two levels) as groups. What is nested deeper stays as it is, as one
 * filter of its group.
 */
export function groupsOf(value: unknown): FilterGroup {
  if (Array.isArray(value)) return value.length === 0 ? EMPTY : { type: "AND", values: [asGroup("AND", value)] };
  if (!isGroup(value)) return EMPTY;
  const { type } = value;
  const single = value.values.filter((one) => !isGroup(one));
  const groups = value.values.filter(isGroup).map((group) => asGroup(group.type, group.values));
  if (single.length === 0) return { type, values: groups };
  return { type, values: [asGroup(type, single), ...groups] };
}

const asGroup = (type: "AND" | "OR", values: readonly unknown[]): Group => ({
  type,
  values: values.filter(isFilter),
});

/** Groups without those that are empty; undefined for none. */
export function tidy({ type, values }: FilterGroup): FilterGroup | undefined {
  const full = values.filter((group) => group.values.length > 0);
  return full.length === 0 ? undefined : { type, values: full };
}

/** A filter of a property, without anything asked yet. */
export function newFilter({ type, key, group_type_index, value, valueType = null }: PickedProperty): PropertyFilter {
  if (type === "cohort") return { type, key: "id", operator: "in", value, cohort_name: key };
  if (type === "hogql") return { type, key };
  const filter = { type, key, ...(type === "group" && { group_type_index }) };
  return { ...filter, operator: firstOperator(filter, valueType) };
}

/** The property of a filter, as a picker shows it. */
export function propertyOf(filter: PropertyFilter): PickedProperty {
  const { type, key, group_type_index, value } = filter;
  if (type === "cohort") return { type, key: cohortLabel(filter), value: Number(value) };
  return { type: type as PickedProperty["type"], key, ...(type === "group" && { group_type_index }) };
}

const cohortLabel = ({ cohort_name: name, value }: PropertyFilter): string =>
  typeof name === "string" ? name : `cohort ${String(value)}`;

/** A filter in words, in three parts: "Browser", "is", "Chrome or Firefox". */
export function filterText(filter: PropertyFilter, valueType: ValueType): [string, string, string] {
  if (isGroup(filter)) return ["", "", `${filter.values.length} nested filters`];
  const { type, key } = filter;
  if (type === "hogql") return ["", "", key];
  const operator = operatorLabel(filter);
  if (type === "cohort") return ["Person", operator, cohortLabel(filter)];
  return [propertyLabel(key, type), operator, valueText(filter, valueType)];
}

const SHOWN_VALUES = 3;

function valueText(filter: PropertyFilter, valueType: ValueType): string {
  const form = valueForm(filter, valueType);
  const values = valuesOf(filter);
  if (form === "none") return "";
  if (values.length === 0) return "…";
  if (form === "range") return values.map(String).join(" and ");
  if (form === "date") return values.map((one) => dateText(String(one))).join(" or ");
  const texts = values.map(String);
  if (texts.length <= SHOWN_VALUES) return alternatives(texts);
  return `${texts.slice(0, SHOWN_VALUES - 1).join(", ")} or ${texts.length - SHOWN_VALUES + 1} more`;
}

/** "a", "a or b", "a, b or c". */
export function alternatives(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? "") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}
