import type { Overrides } from "../../query/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";
import { jsonIn, type Query } from "../http/query.ts";

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
  const value = jsonIn(text);
  if (isObject(value)) return value;
  throw invalidField(name, "invalid_input", `Invalid JSON passed in ${name} parameter`);
}
