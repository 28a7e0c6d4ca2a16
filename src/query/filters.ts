import type { Json, JsonObject } from "../types/mod.ts";
import { invalidQuery, notSupported } from "./errors.ts";
import type { EventsTable } from "./events.ts";
import { groupIndexOf } from "./lookups.ts";
import { shown } from "./nodes.ts";
import { asNumber, propertyText } from "./properties.ts";
import { allOf, anyOf, bind, FALSE, isOneOf, type Sql, sql, TRUE, text } from "./sql.ts";

type Scalar = string | number | boolean;

/** Filters nest; this bounds how deep. */
const MAX_DEPTH = 20;

/**
 * Property filters (reference §1.2) as one condition that is never NULL where it matters: it stands in WHERE or FILTER,
 * so a NULL counts as false, and only negative operators spell out that a missing property passes them.
 * `filters` is a list (AND), a group `{type, values}`, a single filter, or nothing.
 * Errors: TerminalError `invalid_query` that names the place.
 */
export function filterCondition(filters: unknown, events: EventsTable, place = "properties"): Sql {
  return compile((filters ?? null) as Json, events, place, 0);
}

function compile(filter: Json, events: EventsTable, place: string, depth: number): Sql {
  if (depth > MAX_DEPTH) throw invalidQuery(place, `filters nest more than ${MAX_DEPTH} deep`);
  if (filter === null) return TRUE;
  if (typeof filter !== "object") throw invalidQuery(place, `a filter must be an object, not ${shown(filter)}`);
  if (Array.isArray(filter)) return all(filter, events, place, depth);
  if (filter.type === "AND" || filter.type === "OR") {
    const values = Array.isArray(filter.values) ? filter.values : [];
    const isOr = filter.type === "OR" && values.length > 0;
    const inner = `${place}.values`;
    if (!isOr) return all(values, events, inner, depth);
    return anyOf(values.map((value, i) => compile(value, events, `${inner}.${i}`, depth + 1)));
  }
  return leaf(filter, events, place);
}

function all(filters: Json[], events: EventsTable, place: string, depth: number): Sql {
  const conditions = filters.map((value, i) => compile(value, events, `${place}.${i}`, depth + 1));
  return allOf(conditions.filter((condition) => condition !== TRUE));
}

function leaf(filter: JsonObject, events: EventsTable, place: string): Sql {
  if (filter.type === "empty") return TRUE;
  const key = filter.key;
  if (key === undefined || key === null || key === "") return TRUE;
  if (typeof key !== "string") throw invalidQuery(`${place}.key`, `must be a string, not ${shown(key)}`);
  const property = propertyOf(filter, key, events, place);
  return operatorCondition(property, filter.operator ?? "exact", filter.value ?? null, place);
}

/** What a filter looks at, as text; NULL where it is missing. Of persons and groups it is the value of now. */
function propertyOf(filter: JsonObject, key: string, events: EventsTable, place: string): Sql {
  const type = filter.type ?? "event";
  switch (type) {
    case "event":
      return events.property(key);
    case "feature":
      return events.property(`$feature/${key}`);
    case "person":
      return key === "distinct_id" ? events.column("distinct_id") : propertyText(events.person.property(key), []);
    case "group": {
      const index = groupIndexOf(filter.group_type_index);
      if (index === null) {
        throw invalidQuery(`${place}.group_type_index`, `must be 0 to 4, not ${shown(filter.group_type_index)}`);
      }
      return propertyText(events.groups[index].property(key), []);
    }
    default:
      throw notSupported(`${place}.type`, `a filter of type ${shown(type)}`);
  }
}

/** Operators that stand for another one. */
const ALIASES: Record<string, string> = {
  in: "exact",
  not_in: "is_not",
  min: "gte",
  max: "lte",
  icontains_multi: "icontains",
  not_icontains_multi: "not_icontains",
};

function operatorCondition(property: Sql, given: Json, value: Json, place: string): Sql {
  if (typeof given !== "string") throw invalidQuery(`${place}.operator`, `must be a string, not ${shown(given)}`);
  const operator = ALIASES[given] ?? given;
  if (operator === "is_set") return sql`${property} IS NOT NULL`;
  if (operator === "is_not_set") return sql`${property} IS NULL`;
  const build = OPERATORS[operator];
  if (build === undefined) throw notSupported(`${place}.operator`, `the operator ${shown(given)}`);
  const values = scalars(value, `${place}.value`);
  // An incomplete filter filters nothing.
  return values.length === 0 ? TRUE : build(property, values, place);
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

type Operator = (property: Sql, values: Scalar[], place: string) => Sql;

const negated =
  (operator: Operator): Operator =>
  (property, values, place) =>
    sql`(${operator(property, values, place)} IS NOT TRUE)`;

const anyValue =
  (one: (property: Sql, value: Scalar) => Sql): Operator =>
  (property, values) =>
    anyOf(values.map((value) => sql`(${one(property, value)})`));

/** Texts compare as texts (so "1" meets JSON 1), numbers as numbers (so 1 meets JSON 1.0). */
const exact: Operator = (property, values) => {
  const numbers = values.filter((value) => typeof value === "number");
  const texts = values.filter((value) => typeof value !== "number").map(String);
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

const between: Operator = (property, values, place) => {
  const [low, high] = values.map(numberOf);
  if (values.length !== 2 || low == null || high == null || low > high) {
    throw invalidQuery(`${place}.value`, "between needs two numbers, the smaller first");
  }
  return sql`(${asNumber(property)} BETWEEN ${bind(low, "DOUBLE")} AND ${bind(high, "DOUBLE")})`;
};

const notBetween: Operator = (property, values, place) =>
  sql`coalesce(NOT ${between(property, values, place)}, ${FALSE})`;

const OPERATORS: Record<string, Operator> = {
  exact,
  is_not: negated(exact),
  icontains: contains,
  not_icontains: negated(contains),
  regex: matches,
  not_regex: negated(matches),
  gt: ordered((left, right) => sql`${left} > ${right}`),
  gte: ordered((left, right) => sql`${left} >= ${right}`),
  lt: ordered((left, right) => sql`${left} < ${right}`),
  lte: ordered((left, right) => sql`${left} <= ${right}`),
  between,
  not_between: notBetween,
};
