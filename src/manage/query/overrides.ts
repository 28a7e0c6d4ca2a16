import type { Json, JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";
import type { Query } from "../http/query.ts";
import { INSIGHT_KINDS, withSource } from "./nodes.ts";

/** What a dashboard, or a request, puts over the queries shown in it. */
export interface Overrides {
  /** `date_from`, `date_to`, `properties`, `breakdown_filter`. */
  filters: JsonObject;
  /** By variable id: `{variableId, code_name, value}`. */
  variables: JsonObject;
}

export const NO_OVERRIDES: Overrides = { filters: {}, variables: {} };

/** The request's own over the dashboard's. */
export function mergeOverrides(base: Overrides, over: Overrides): Overrides {
  return {
    filters: { ...base.filters, ...over.filters },
    variables: { ...base.variables, ...over.variables },
  };
}

/** What a request puts over the queries that it asks for. Throws ApiError 400. */
export function readOverrides(query: Query): Overrides {
  return { filters: readOverride(query, "filters_override"), variables: readOverride(query, "variables_override") };
}

/** A JSON object in a query parameter, or none. Throws ApiError 400. */
function readOverride(query: Query, name: "filters_override" | "variables_override"): JsonObject {
  const text = query.get(name);
  if (text === null || text === "") return {};
  try {
    const value: Json = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The same answer as for a value that is no object.
  }
  throw invalidField(name, "invalid_input", `Invalid JSON passed in ${name} parameter`);
}

/** The node as it is asked under the overrides; the same object where there are none. */
export function override(node: JsonObject, { filters, variables }: Overrides): JsonObject {
  return withSource(node, (source) => overrideVariables(overrideFilters(source, filters), variables));
}

/** A list of filters: empty where none is given. */
const listed = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null;

function overrideFilters(source: JsonObject, filters: JsonObject): JsonObject {
  // Either end takes the place of both: a range is meant as a whole.
  const hasDates = isSet(filters.date_from) || isSet(filters.date_to);
  const dates: JsonObject = hasDates
    ? { dateRange: { date_from: filters.date_from ?? null, date_to: filters.date_to ?? null } }
    : {};
  const properties = listed(filters.properties);
  if (source.kind === "HogQLQuery") {
    if (!hasDates && properties.length === 0) return source;
    const present = isObject(source.filters) ? source.filters : {};
    const narrowed: JsonObject =
      properties.length > 0 ? { properties: [...listed(present.properties), ...properties] } : {};
    // They act where the text has {filters}.
    return { ...source, filters: { ...present, ...narrowed, ...dates } };
  }
  if (!INSIGHT_KINDS.has(String(source.kind))) return source;
  const breakdown: JsonObject = isObject(filters.breakdown_filter) ? { breakdownFilter: filters.breakdown_filter } : {};
  const narrowed: JsonObject = properties.length > 0 ? { properties: both(source.properties, properties) } : {};
  return { ...source, ...dates, ...breakdown, ...narrowed };
}

/** Those present and the further ones, all of which must hold. */
function both(present: Json | undefined, further: Json[]): Json {
  const group = (values: Json[]): Json => ({ type: "AND", values });
  if (Array.isArray(present)) return present.length === 0 ? further : group([group(present), group(further)]);
  return isObject(present) ? group([present, group(further)]) : further;
}

/** Only variables that the query has get another value. */
function overrideVariables(source: JsonObject, variables: JsonObject): JsonObject {
  const present = source.variables;
  if (source.kind !== "HogQLQuery" || !isObject(present)) return source;
  const replaced = Object.entries(present).map(([id, variable]): [string, Json] => {
    const over = Object.hasOwn(variables, id) ? variables[id] : undefined;
    return [id, isObject(variable) && isObject(over) ? { ...variable, ...over } : variable];
  });
  return { ...source, variables: Object.fromEntries(replaced) };
}
