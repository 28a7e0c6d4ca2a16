import type { Json } from "../../types/mod.ts";
import { call, compare, constant, field, lambda, not, tuple } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { parseAbsolute, parseDate, parseShift } from "../time/dates.ts";
import { formatIso } from "../time/zone.ts";
import { anyOf, type Condition } from "./filterTree.ts";
import { cleanedPath } from "./paths.ts";
import { SEMVER_OPERATORS, semverCondition } from "./semver.ts";
import { type Subject, textSubject } from "./subjects.ts";

/** The filter of an operator. */
export interface OperatorScope {
  context: QueryContext;
  /** Names the filter in errors. */
  place: string;
}

type Scalar = string | number | boolean;
type Operator = (subject: Subject, values: Scalar[], scope: OperatorScope) => Condition;

/** Other names of operators. */
const ALIASES: Record<string, string> = {
  in: "exact",
  not_in: "is_not",
  min: "gte",
  max: "lte",
  icontains_multi: "icontains",
  not_icontains_multi: "not_icontains",
};

/** Operators that hold for exactly the rows for which another one does not hold, rows without the property included. */
const NEGATIONS: Record<string, string> = {
  is_not: "exact",
  not_icontains: "icontains",
  not_regex: "regex",
  semver_neq: "semver_eq",
};

/**
 * One operator on a property (docs/queries.md#property-filters); null for an incomplete filter, which all rows pass.
 * Errors: TerminalError `invalid_query` that names the place.
 */
export function operatorCondition(subject: Subject, given: Json, value: Json, scope: OperatorScope): Condition {
  const { operator, isNegated } = readOperator(given, scope);
  if (operator === "is_set") return call("isNotNull", subject.defined);
  if (operator === "is_not_set") return call("isNull", subject.defined);
  if ((given === "in" || given === "not_in") && !Array.isArray(value)) {
    throw invalidQuery(`${scope.place}.value`, `must be a list for the operator ${shown(given)}`);
  }
  const values = scalars(value, `${scope.place}.value`);
  if (values.length === 0) return null;
  const condition = OPERATORS[operator]!(subject, values, scope);
  return isNegated && condition !== null ? negated(condition) : condition;
}

/** The same over a JSON list: some element meets the condition, or for a negative operator none does. */
export function anyElementCondition(list: Subject, given: Json, value: Json, scope: OperatorScope): Condition {
  const { operator, isNegated } = readOperator(given, scope);
  if (operator === "is_set" || operator === "is_not_set") return operatorCondition(list, given, value, scope);
  const some = anyElement(call("listedTexts", list.defined), (x) =>
    operatorCondition(textSubject(x, list.type), operator, value, scope),
  );
  return isNegated && some !== null ? not(some) : some;
}

/** Whether some element of a list meets a condition. */
export function anyElement(list: Expression, condition: (element: Expression) => Condition): Condition {
  const met = condition(field("x"));
  return met === null ? null : call("arrayExists", lambda("x", met), list);
}

const OPPOSITES: Record<string, string> = { "==": "!=", in: "not in", ilike: "not ilike" };

function negated(condition: Expression): Expression {
  const opposite = condition.node === "CompareOperation" ? OPPOSITES[condition.op] : undefined;
  return opposite === undefined ? not(condition) : ({ ...condition, op: opposite } as Expression);
}

function readOperator(given: Json, { place }: OperatorScope): { operator: string; isNegated: boolean } {
  if (typeof given !== "string") throw invalidQuery(`${place}.operator`, `must be a string, not ${shown(given)}`);
  const alias = ALIASES[given] ?? given;
  const operator = NEGATIONS[alias] ?? alias;
  const isKnown = operator === "is_set" || operator === "is_not_set" || Object.hasOwn(OPERATORS, operator);
  if (!isKnown) throw notSupported(`${place}.operator`, `the operator ${shown(given)}`);
  return { operator, isNegated: operator !== alias };
}

function scalars(value: Json, place: string): Scalar[] {
  const list = Array.isArray(value) ? value : [value];
  return list
    .filter((item) => item !== null)
    .map((item) => {
      if (typeof item === "object")
        throw invalidQuery(place, `must be a string, a number or a list, not ${shown(item)}`);
      return item;
    });
}

const anyValue =
  (one: (subject: Subject, value: Scalar, scope: OperatorScope) => Expression): Operator =>
  (subject, values, scope) =>
    anyOf(values.map((value) => one(subject, value, scope)));

/** Texts compare as texts (so "1" meets JSON 1), numbers, and all of a property of numbers, as numbers (so 1 meets 1.0). */
const exact: Operator = ({ text, number, type }, values) => {
  const asNumbers = values.map((value) => (typeof value === "number" || type === "Numeric" ? numberOf(value) : null));
  const numbers = asNumbers.filter((value) => value !== null);
  const texts = values.filter((_, i) => asNumbers[i] === null).map(String);
  return anyOf([...isOneOf(number, numbers), ...isOneOf(text, texts)]);
};

function isOneOf(of: Expression, values: readonly (string | number)[]): Expression[] {
  if (values.length === 0) return [];
  const [first, ...others] = values.map(constant);
  return [others.length === 0 ? compare(of, "==", first!) : compare(of, "in", tuple(first!, ...others))];
}

/** % and _ of the user stay wildcards, as in PostHog; a backslash means itself. */
export const containing = (part: string): Expression => constant(`%${part.replaceAll("\\", "\\\\")}%`);

function numberOf(value: Scalar): number | null {
  if (typeof value === "number") return value;
  const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : null;
}

/** Ordered as numbers where the filter's value is one, else as texts (ISO dates). */
const ordered = (op: string): Operator =>
  anyValue(({ text, number: asNumber }, value) => {
    const number = numberOf(value);
    return number === null ? compare(text, op, constant(String(value))) : compare(asNumber, op, constant(number));
  });

const between =
  (isNegated: boolean): Operator =>
  ({ number }, values, { place }) => {
    const [low, high] = values.map(numberOf);
    if (values.length !== 2 || low == null || high == null || low > high) {
      throw invalidQuery(`${place}.value`, "between needs two numbers, the smaller first");
    }
    return { node: "BetweenExpr", expr: number, low: constant(low), high: constant(high), negated: isNegated };
  };

/** The property and the filter's value as times; seconds since 1970 are a time, too. */
const dated = (op: string): Operator =>
  anyValue(({ defined }, given, { context, place }) =>
    compare(call("storedTime", defined), op, constant(formatIso(dateOf(given, context, place)))),
  );

function dateOf(given: Scalar, context: QueryContext, place: string): Temporal.ZonedDateTime {
  const written = String(given);
  const absolute = parseAbsolute(written, context.timezone);
  if (absolute !== null) return absolute;
  if (parseShift(written) === null) throw invalidQuery(`${place}.value`, `${shown(given)} is not a date`);
  return parseDate(written, context).at;
}

const OPERATORS: Record<string, Operator> = {
  exact,
  icontains: anyValue(({ text }, value) => compare(text, "ilike", containing(String(value)))),
  regex: anyValue(({ text }, value) => compare(text, "=~", constant(String(value)))),
  gt: ordered(">"),
  gte: ordered(">="),
  lt: ordered("<"),
  lte: ordered("<="),
  between: between(false),
  not_between: between(true),
  is_date_exact: dated("=="),
  is_date_before: dated("<"),
  is_date_after: dated(">"),
  is_cleaned_path_exact: anyValue(({ text }, value, { context }) => {
    const cleaned = (path: Expression) => cleanedPath(path, context.pathCleaningFilters);
    return compare(cleaned(text), "==", cleaned(constant(String(value))));
  }),
  ...Object.fromEntries(
    SEMVER_OPERATORS.map((operator) => [
      operator,
      anyValue(({ defined }, value, { place }) => semverCondition(operator, defined, String(value), `${place}.value`)),
    ]),
  ),
};

/** Every operator that a filter may name. */
export const OPERATOR_NAMES: readonly string[] = [
  ...Object.keys(OPERATORS),
  ...Object.keys(NEGATIONS),
  ...Object.keys(ALIASES),
  "is_set",
  "is_not_set",
];
