import type { PropertyFilter } from "./types.ts";

/** What a property holds, as its definition says; null: nothing is said. */
export type ValueType = "String" | "Numeric" | "Boolean" | "DateTime" | "Duration" | null;

/** How the value of a filter is given. */
export type ValueForm = "none" | "texts" | "number" | "range" | "date" | "text" | "yesNo";

interface Operator {
  label: string;
  form: ValueForm;
}

/** All operators of docs/queries.md#property-filters, and the other names that they have. */
const OPERATORS: Record<string, Operator> = {
  exact: { label: "is", form: "texts" },
  is_not: { label: "is not", form: "texts" },
  icontains: { label: "contains", form: "texts" },
  not_icontains: { label: "does not contain", form: "texts" },
  regex: { label: "matches", form: "texts" },
  not_regex: { label: "does not match", form: "texts" },
  gt: { label: ">", form: "number" },
  gte: { label: "≥", form: "number" },
  lt: { label: "<", form: "number" },
  lte: { label: "≤", form: "number" },
  between: { label: "is between", form: "range" },
  not_between: { label: "is not between", form: "range" },
  is_set: { label: "is set", form: "none" },
  is_not_set: { label: "is not set", form: "none" },
  is_date_exact: { label: "is at", form: "date" },
  is_date_before: { label: "is before", form: "date" },
  is_date_after: { label: "is after", form: "date" },
  is_cleaned_path_exact: { label: "is, as cleaned path,", form: "texts" },
  semver_eq: { label: "is version", form: "text" },
  semver_neq: { label: "is not version", form: "text" },
  semver_gt: { label: "is above version", form: "text" },
  semver_gte: { label: "is version or above", form: "text" },
  semver_lt: { label: "is below version", form: "text" },
  semver_lte: { label: "is version or below", form: "text" },
  semver_tilde: { label: "is close to version (~)", form: "text" },
  semver_caret: { label: "is compatible with version (^)", form: "text" },
  semver_wildcard: { label: "is like version (1.2.*)", form: "text" },
  in: { label: "is", form: "texts" },
  not_in: { label: "is not", form: "texts" },
  min: { label: "≥", form: "number" },
  max: { label: "≤", form: "number" },
  icontains_multi: { label: "contains", form: "texts" },
  not_icontains_multi: { label: "does not contain", form: "texts" },
};

/** Names that mean the same as another; they are kept where they stand, and not offered. */
const ALIASES = ["in", "not_in", "min", "max", "icontains_multi", "not_icontains_multi"];

const SET = ["is_set", "is_not_set"];
const TEXT = ["exact", "is_not", "icontains", "not_icontains", "regex", "not_regex", ...SET];
const DATES = ["is_date_after", "is_date_before", "is_date_exact"];
const NUMBERS = ["exact", "is_not", "gt", "gte", "lt", "lte", "between", "not_between", ...SET];
const VERSIONS = Object.keys(OPERATORS).filter((name) => name.startsWith("semver_"));

const FIRST: Record<NonNullable<ValueType>, readonly string[]> = {
  String: TEXT,
  Numeric: NUMBERS,
  Duration: NUMBERS,
  Boolean: ["exact", "is_not", ...SET],
  DateTime: [...DATES, ...SET],
};

/** What a property is compared by: first what makes sense for it, then what else there is. */
export function operatorsFor(filter: PropertyFilter, valueType: ValueType): { first: string[]; rest: string[] } {
  const { type, key } = filter;
  if (type === "cohort") return { first: ["in", "not_in"], rest: [] };
  if (type === "hogql") return { first: [], rest: [] };
  if (type === "element" && (key === "selector" || key === "tag_name")) return { first: ["exact", "is_not"], rest: [] };
  const first = [...(key === "$pathname" || key === "$current_url" ? ["is_cleaned_path_exact"] : [])];
  first.unshift(...FIRST[valueType ?? "String"]);
  if (/version/i.test(key)) first.push(...VERSIONS);
  const known = new Set([...first, ...ALIASES]);
  return { first, rest: Object.keys(OPERATORS).filter((name) => !known.has(name)) };
}

/** The operator that a filter has, `exact` where it names none. */
export const operatorOf = ({ type, operator, negation }: PropertyFilter): string => {
  if (type === "cohort") return negation === true || operator === "not_in" ? "not_in" : "in";
  return operator ?? "exact";
};

/** The operator of a filter in words. */
export function operatorLabel(filter: PropertyFilter): string {
  const name = operatorOf(filter);
  if (filter.type === "cohort") return name === "in" ? "is in" : "is not in";
  return Object.hasOwn(OPERATORS, name) ? OPERATORS[name]!.label : name;
}

/** In a list of operators, where no value stands behind it. */
export const operatorChoice = (name: string, type: string): string =>
  operatorLabel({ type, key: "", operator: name }).replace(/,$/, "");

/** How the value is given. */
export function valueForm(filter: PropertyFilter, valueType: ValueType): ValueForm {
  const name = operatorOf(filter);
  const form = Object.hasOwn(OPERATORS, name) ? OPERATORS[name]!.form : "texts";
  return form === "texts" && valueType === "Boolean" ? "yesNo" : form;
}

/** The operator that a new filter of a property begins with. */
export const firstOperator = (filter: PropertyFilter, valueType: ValueType): string | undefined =>
  operatorsFor(filter, valueType).first[0];

/** A filter with another operator. The value stays where its form allows it. */
export function withOperator(filter: PropertyFilter, operator: string, valueType: ValueType): PropertyFilter {
  const { negation: _, ...rest } = filter;
  const next = { ...rest, operator };
  const [before, after] = [valueForm(filter, valueType), valueForm(next, valueType)];
  if (before === after || filter.type === "cohort") return next;
  if (after === "none") return without(next);
  const [first] = valuesOf(filter);
  if (first === undefined || after === "range" || after === "date" || before === "date") return without(next);
  if (after === "texts" || after === "yesNo") return { ...next, value: [String(first)] };
  return { ...next, value: after === "number" ? numberIn(String(first)) : String(first) };
}

function without({ value: _, ...filter }: PropertyFilter): PropertyFilter {
  return filter as PropertyFilter;
}

/** The values of a filter as a list. */
export function valuesOf({ value }: PropertyFilter): (string | number | boolean)[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one) => one !== null && one !== undefined && one !== "" && typeof one !== "object");
}

/** A text as the number that it is, else as it is: numbers compare as numbers. */
export function numberIn(text: string): number | string {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Whether a filter asks for something; all events pass one that does not. */
export function isComplete(filter: PropertyFilter): boolean {
  if (filter.type === "hogql") return filter.key.trim() !== "";
  if (filter.key === "") return false;
  const form = valueForm(filter, null);
  if (form === "none") return true;
  return valuesOf(filter).length >= (form === "range" ? 2 : 1);
}
