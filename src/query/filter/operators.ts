import type { Json, PropertyType } from "../../types/mod.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { asNumber } from "../sql/properties.ts";
import { anyOf, bind, FALSE, isOneOf, type Sql, sql, TRUE, text } from "../sql/sql.ts";
import { parseAbsolute, parseDate, parseShift } from "../time/dates.ts";
import { asDatetime, asDefined } from "../value/convert.ts";
import { instantValue } from "../value/literals.ts";
import { typeOf, value } from "../value/types.ts";
import { cleanedPath } from "./paths.ts";
import { SEMVER_OPERATORS, semverCondition } from "./semver.ts";

/** Where an operator stands. */
export interface OperatorScope {
  context: QueryContext;
  /** Names the filter in errors. */
  place: string;
  /** What the property is said to hold. */
  type?: PropertyType | null;
}

type Scalar = string | number | boolean;
type Operator = (property: Sql, values: Scalar[], scope: OperatorScope) => Sql;

/** Operators that stand for another one. */
const ALIASES: Record<string, string> = {
  in: "exact",
  not_in: "is_not",
  min: "gte",
  max: "lte",
  icontains_multi: "icontains",
  not_icontains_multi: "not_icontains",
};

/** Operators that are true of exactly the rows that another one is not true of, those without the property among them. */
const NEGATIONS: Record<string, string> = {
  is_not: "exact",
  not_icontains: "icontains",
  not_regex: "regex",
  semver_neq: "semver_eq",
};

/**
 * One operator over a value as text that is NULL where it is missing (docs/queries.md#property-filters). For WHERE and
 * FILTER: NULL means no. An incomplete filter is TRUE. Errors: TerminalError `invalid_query` that names the place.
 */
export function operatorCondition(property: Sql, given: Json, value: Json, scope: OperatorScope): Sql {
  const { operator, isNegated } = readOperator(given, scope);
  if (operator === "is_set") return sql`${defined(property, scope)} IS NOT NULL`;
  if (operator === "is_not_set") return sql`${defined(property, scope)} IS NULL`;
  if ((given === "in" || given === "not_in") && !Array.isArray(value)) {
    throw invalidQuery(`${scope.place}.value`, `must be a list for the operator ${shown(given)}`);
  }
  const values = scalars(value, `${scope.place}.value`);
  if (values.length === 0) return TRUE;
  const condition = OPERATORS[operator]!(property, values, scope);
  return isNegated ? sql`(${condition} IS NOT TRUE)` : condition;
}

/** As HogQL reads it: a text that is not what the property is said to hold is none. */
const defined = (property: Sql, { type = null, context }: OperatorScope): Sql =>
  asDefined(value(property, typeOf("string", true)), type, context).sql;

/** The same over a JSON array: some element meets it, or for the negative ones none does. A text counts as its element. */
export function anyElementCondition(list: Sql, given: Json, value: Json, scope: OperatorScope): Sql {
  const { operator, isNegated } = readOperator(given, scope);
  if (operator === "is_set" || operator === "is_not_set") return operatorCondition(list, given, value, scope);
  const met = operatorCondition(sql`x`, operator, value, scope);
  if (met === TRUE) return TRUE;
  const elements = sql`CASE WHEN json_valid(${list}) THEN json_extract_string(${list}, '$[*]') ELSE [${list}] END`;
  const some = sql`len(list_filter(${elements}, lambda x: ${met})) > 0`;
  return isNegated ? sql`(${some} IS NOT TRUE)` : some;
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
  (one: (property: Sql, value: Scalar, scope: OperatorScope) => Sql): Operator =>
  (property, values, scope) =>
    anyOf(values.map((value) => sql`(${one(property, value, scope)})`));

/** Texts compare as texts (so "1" meets JSON 1), numbers, and all of a property of numbers, as numbers (so 1 meets 1.0). */
const exact: Operator = (property, values, { type }) => {
  const asNumbers = values.map((value) => (typeof value === "number" || type === "Numeric" ? numberOf(value) : null));
  const numbers = asNumbers.filter((value) => value !== null);
  const texts = values.filter((_, i) => asNumbers[i] === null).map(String);
  const conditions: Sql[] = numbers.map((value) => sql`${asNumber(property)} = ${bind(value, "DOUBLE")}`);
  if (texts.length > 0) conditions.push(isOneOf(property, texts));
  return sql`(${anyOf(conditions)})`;
};

/** % and _ of the user stay wildcards, as in PostHog. */
const contains = anyValue((property, value) => sql`${property} ILIKE ${text(`%${value}%`)}`);
const matches = anyValue((property, value) => sql`regexp_matches(${property}, ${text(String(value))})`);

function numberOf(value: Scalar): number | null {
  if (typeof value === "number") return value;
  const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : null;
}

/** Ordered as numbers where the filter's value is one, else as texts (ISO dates). */
const ordered = (compare: (left: Sql, right: Sql) => Sql): Operator =>
  anyValue((property, value) => {
    const number = numberOf(value);
    if (number !== null) return compare(asNumber(property), bind(number, "DOUBLE"));
    return compare(property, text(String(value)));
  });

const between: Operator = (property, values, { place }) => {
  const [low, high] = values.map(numberOf);
  if (values.length !== 2 || low == null || high == null || low > high) {
    throw invalidQuery(`${place}.value`, "between needs two numbers, the smaller first");
  }
  return sql`(${asNumber(property)} BETWEEN ${bind(low, "DOUBLE")} AND ${bind(high, "DOUBLE")})`;
};

/** The property, and what the filter says, as instants; seconds since 1970 are one, too. */
const dated = (compare: (left: Sql, right: Sql) => Sql): Operator =>
  anyValue((property, given, { context, place }) => {
    const written = asDatetime(value(property, typeOf("string", true)), context).sql;
    const seconds = sql`make_timestamp(CAST(${asNumber(property)} * 1000000 AS BIGINT))`;
    const isSeconds = sql`regexp_full_match(${property}, '\\d{9,10}(\\.\\d+)?')`;
    const at = sql`CASE WHEN ${isSeconds} THEN ${seconds} ELSE ${written} END`;
    return compare(at, instantValue(dateOf(given, context, place)).sql);
  });

function dateOf(given: Scalar, context: QueryContext, place: string): Temporal.ZonedDateTime {
  const written = String(given);
  const absolute = parseAbsolute(written, context.timezone);
  if (absolute !== null) return absolute;
  if (parseShift(written) === null) throw invalidQuery(`${place}.value`, `${shown(given)} is not a date`);
  return parseDate(written, context).at;
}

const OPERATORS: Record<string, Operator> = {
  exact,
  icontains: contains,
  regex: matches,
  gt: ordered((left, right) => sql`${left} > ${right}`),
  gte: ordered((left, right) => sql`${left} >= ${right}`),
  lt: ordered((left, right) => sql`${left} < ${right}`),
  lte: ordered((left, right) => sql`${left} <= ${right}`),
  between,
  not_between: (property, values, scope) => sql`coalesce(NOT ${between(property, values, scope)}, ${FALSE})`,
  is_date_exact: dated((left, right) => sql`${left} = ${right}`),
  is_date_before: dated((left, right) => sql`${left} < ${right}`),
  is_date_after: dated((left, right) => sql`${left} > ${right}`),
  is_cleaned_path_exact: anyValue(
    (property, value, { context }) =>
      sql`${cleanedPath(property, context)} = ${cleanedPath(text(String(value)), context)}`,
  ),
  ...Object.fromEntries(
    SEMVER_OPERATORS.map((operator) => [
      operator,
      anyValue((property, value, { place }) => semverCondition(operator, property, String(value), `${place}.value`)),
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
