import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { and, or } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";

/** Filters nest; this bounds how deep. */
const MAX_DEPTH = 20;

/** A condition; null for one that all rows meet, as an incomplete filter. */
export type Condition = Expression | null;

/**
 * Filters (docs/queries.md#property-filters) as one condition: a list (AND), a group `{type: "AND" | "OR", values}`, a
 * single filter, or nothing. `leaf` reads a single filter; its place names it in errors. Errors: TerminalError
 * `invalid_query` that names the place, and those of `leaf`.
 */
export function filterTree(
  filters: unknown,
  place: string,
  leaf: (filter: JsonObject, place: string) => Condition,
): Condition {
  const read = (filter: Json, at: string, depth: number): Condition => {
    if (depth > MAX_DEPTH) throw invalidQuery(at, `filters nest more than ${MAX_DEPTH} deep`);
    if (filter === null) return null;
    if (Array.isArray(filter)) return allOf(each(filter, at, depth));
    if (!isJsonObject(filter)) throw invalidQuery(at, `a filter must be an object, not ${shown(filter)}`);
    if (filter.type !== "AND" && filter.type !== "OR") return leaf(filter, at);
    const values = filter.values ?? [];
    if (!Array.isArray(values)) throw invalidQuery(`${at}.values`, `must be a list, not ${shown(values)}`);
    const conditions = each(values, `${at}.values`, depth);
    return filter.type === "OR" ? anyOf(conditions) : allOf(conditions);
  };
  const each = (filters: Json[], at: string, depth: number): Condition[] =>
    filters.map((filter, i) => read(filter, `${at}.${i}`, depth + 1));
  return read((filters ?? null) as Json, place, 0);
}

/** All of the conditions. */
export const allOf = (conditions: readonly Condition[]): Condition =>
  and(conditions.filter((condition) => condition !== null));

/** Any of the conditions; null for none of them, too. */
export function anyOf([first, ...others]: readonly Condition[]): Condition {
  const rest = others.filter((condition) => condition !== null);
  return first == null || rest.length < others.length ? null : or([first, ...rest]);
}
