import type { Json, JsonObject, PropertyType } from "../../types/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import { filterCondition } from "../filter/filters.ts";
import { call, compare, constant, embedded, field } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { QueryContext } from "../source/context.ts";

/** Property filters of a node as conditions of a tree; none where nothing is asked. */
export function filtersOf(filters: unknown, context: QueryContext, place: string): Expression[] {
  const given = (filters ?? null) as Json;
  if (isNothing(given)) return [];
  return [embedded("bool", shownFilter(given, context), (events) => filterCondition(given, events, context, place))];
}

const isNothing = (filter: Json): boolean =>
  filter === null ||
  (Array.isArray(filter) && filter.length === 0) ||
  (isJsonObject(filter) && filter.type === "AND" && Array.isArray(filter.values) && filter.values.length === 0);

/** The HogQL that means the same as a filter; null where none is known to. */
function shownFilter(filter: Json, context: QueryContext): Expression | null {
  if (Array.isArray(filter)) return shownAll("And", filter, context);
  if (!isJsonObject(filter)) return null;
  if (filter.type !== "AND" && filter.type !== "OR") return shownLeaf(filter, context);
  return Array.isArray(filter.values) ? shownAll(filter.type === "AND" ? "And" : "Or", filter.values, context) : null;
}

function shownAll(node: "And" | "Or", filters: readonly Json[], context: QueryContext): Expression | null {
  const shown = filters.map((one) => shownFilter(one, context)).filter((one) => one !== null);
  if (shown.length < filters.length || shown.length === 0) return null;
  return shown.length === 1 ? shown[0]! : { node, exprs: shown };
}

/** Whether HogQL reads a property as the text that it holds, by what its definition says. */
export const isText = (type: PropertyType | null): boolean => type === null || type === "String";

/** A property of an event as the text that is stored, whatever its definition says; NULL where it is missing. */
export function eventText(key: string, { records }: QueryContext): Expression {
  if (isText(records.propertyType({ type: "event" }, key))) return field("properties", key);
  return embedded("string", null, (events) => events.property(key));
}

/** Filters look at some of these keys in ways of their own. */
const OWN_WAYS = /^(\$exception_|\$elements_chain$|distinct_id$)/;

function shownLeaf(filter: JsonObject, context: QueryContext): Expression | null {
  const { type = "event", key, operator = "exact", value = null } = filter;
  if ((type !== "event" && type !== "person") || typeof key !== "string" || key === "" || OWN_WAYS.test(key))
    return null;
  // HogQL converts what a definition says to be no text.
  if (!isText(context.records.propertyType({ type }, key))) return null;
  const property = type === "person" ? field("person", "properties", key) : field("properties", key);
  if (operator === "is_set") return call("isNotNull", property);
  if (operator === "is_not_set") return call("isNull", property);
  if (operator !== "exact" && operator !== "is_not") return null;
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0 || values.some((one) => typeof one !== "string")) return null;
  const constants = values.map((one) => constant(String(one)));
  const isNegated = operator === "is_not";
  if (constants.length === 1) return compare(property, isNegated ? "!=" : "==", constants[0]!);
  return compare(property, isNegated ? "not in" : "in", { node: "Tuple", exprs: constants });
}
