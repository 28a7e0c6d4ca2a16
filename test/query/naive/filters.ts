import type { TestEvent, TestPerson } from "../../support/memoryLake.ts";
import { HOGQL_CONDITIONS } from "./hogql.ts";
import { type NaiveFilter, numberIn, personOf, subjectText, textOf, type World } from "./world.ts";

/** Whether an event passes filters, all of which must hold (docs/queries.md#property-filters). */
export function passes(event: TestEvent, filters: readonly NaiveFilter[], world: World): boolean {
  return filters.every((filter) => meets(event, filter, world));
}

function meets(event: TestEvent, filter: NaiveFilter, world: World): boolean {
  if ("values" in filter) {
    if (filter.values.length === 0) return true;
    const test = (inner: NaiveFilter) => meets(event, inner, world);
    return filter.type === "OR" ? filter.values.some(test) : filter.values.every(test);
  }
  if (filter.type === "cohort") {
    const person = personOf(event, world);
    const isMember = person !== undefined && inCohort(person, Number(filter.value), world);
    return filter.operator === "not_in" ? !isMember : isMember;
  }
  if (filter.type === "hogql") return HOGQL_CONDITIONS.get(filter.key)!(event);
  const type = (filter.type ?? "event") === "event" ? world.types[filter.key] : undefined;
  return holds(subjectText(event, filter, world), filter.operator ?? "exact", filter.value, type, world);
}

export function inCohort(person: TestPerson, id: number, world: World): boolean {
  const cohort = world.cohorts.find((one) => one.id === id)!;
  return cohort.filters.every((filter) => {
    if ("values" in filter) throw new Error("cohorts of tests have plain filters");
    const text = textOf(person.properties?.[filter.key]);
    return holds(text, filter.operator ?? "exact", filter.value, undefined, world);
  });
}

function holds(text: string | null, operator: string, value: unknown, type: string | undefined, world: World): boolean {
  // What is not what the property is said to hold is nothing, as in HogQL.
  const isOfType =
    type === "Boolean" ? /^(true|false)$/.test(text ?? "") : type !== "Numeric" || numberIn(text) !== null;
  const isSet = text !== null && isOfType;
  if (operator === "is_set") return isSet;
  if (operator === "is_not_set") return !isSet;
  const list = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && one !== undefined);
  if (list.length === 0) return true;
  const number = numberIn(text);
  const any = (test: (one: string | number) => boolean): boolean => text !== null && list.some(test);
  const version = (test: (left: number[], right: number[]) => boolean): boolean => {
    const left = versionIn(text ?? "");
    return left !== null && list.some((one) => test(left, versionIn(String(one))!));
  };
  const date = (test: (left: number, right: number) => boolean): boolean => {
    const left = instantIn(text ?? "", world);
    return left !== null && list.some((one) => test(left, instantIn(String(one), world)!));
  };
  switch (operator) {
    case "exact":
    case "in":
      return any((one) => isSame(text!, one, type));
    case "is_not":
    case "not_in":
      return !any((one) => isSame(text!, one, type));
    case "gt":
      return any((one) => number !== null && number > Number(one));
    case "gte":
      return any((one) => number !== null && number >= Number(one));
    case "lt":
      return any((one) => number !== null && number < Number(one));
    case "lte":
      return any((one) => number !== null && number <= Number(one));
    case "between":
      return number !== null && number >= list[0] && number <= list[1];
    case "not_between":
      return number !== null && (number < list[0] || number > list[1]);
    case "icontains":
      return any((one) => text!.toLowerCase().includes(String(one).toLowerCase()));
    case "not_icontains":
      return !any((one) => text!.toLowerCase().includes(String(one).toLowerCase()));
    case "regex":
      return any((one) => new RegExp(String(one)).test(text!));
    case "not_regex":
      return !any((one) => new RegExp(String(one)).test(text!));
    case "semver_eq":
      return version((left, right) => compare(left, right) === 0);
    case "semver_neq":
      return !version((left, right) => compare(left, right) === 0);
    case "semver_gt":
      return version((left, right) => compare(left, right) > 0);
    case "semver_lte":
      return version((left, right) => compare(left, right) <= 0);
    case "semver_tilde":
      return version((left, right) => compare(left, right) >= 0 && left[0] === right[0] && left[1] === right[1]);
    case "semver_caret":
      // The versions of the tests do not begin with 0.
      return version((left, right) => compare(left, right) >= 0 && left[0] === right[0]);
    case "is_date_before":
      return date((left, right) => left < right);
    case "is_date_after":
      return date((left, right) => left > right);
    case "is_date_exact":
      return date((left, right) => left === right);
    default:
      throw new Error(operator);
  }
}

function isSame(text: string, value: string | number | boolean, type: string | undefined): boolean {
  const wanted = numberIn(String(value));
  const isNumeric = typeof value === "number" || (type === "Numeric" && wanted !== null && typeof value === "string");
  return isNumeric ? numberIn(text) === wanted : text === String(value);
}

/** `1.2.3`, of the text's beginning. */
function versionIn(text: string): number[] | null {
  const found = /^v?(\d+(?:\.\d+)*)/.exec(text);
  return found === null ? null : found[1]!.split(".").map(Number);
}

function compare(left: number[], right: number[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!;
  }
  return left.length - right.length;
}

/** Dates of tests are in UTC with a Z, or some days before now. */
function instantIn(text: string, world: World): number | null {
  const hours = /^-(\d+)h$/.exec(text);
  if (hours !== null) return world.nowMs - Number(hours[1]) * 3_600_000;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : null;
}
