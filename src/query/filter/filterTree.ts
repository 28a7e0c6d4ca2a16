import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import { invalidQuery } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import { allOf, anyOf, type Sql, TRUE } from "../sql/sql.ts";

/** Filters nest; this bounds how deep. */
const MAX_DEPTH = 20;

/**
 * Filters (docs/queries.md#property-filters) as one condition: a list (AND), a group `{type: "AND" | "OR", values}`, a
 * single filter, or nothing (TRUE). `leaf` compiles a single one; its place names it in errors. Errors: TerminalError
 * `invalid_query` that names the place, and those of `leaf`.
 */
export function filterTree(filters: Json, place: string, leaf: (filter: JsonObject, place: string) => Sql): Sql {
  const compile = (filter: Json, at: string, depth: number): Sql => {
    if (depth > MAX_DEPTH) throw invalidQuery(at, `filters nest more than ${MAX_DEPTH} deep`);
    if (filter === null) return TRUE;
    if (Array.isArray(filter)) return allOf(each(filter, at, depth));
    if (!isJsonObject(filter)) throw invalidQuery(at, `a filter must be an object, not ${shown(filter)}`);
    if (filter.type !== "AND" && filter.type !== "OR") return leaf(filter, at);
    const values = filter.values ?? [];
    if (!Array.isArray(values)) throw invalidQuery(`${at}.values`, `must be a list, not ${shown(values)}`);
    const conditions = each(values, `${at}.values`, depth);
    if (filter.type === "OR" && values.length > 0) return conditions.includes(TRUE) ? TRUE : anyOf(conditions);
    return allOf(conditions);
  };
  const each = (filters: Json[], at: string, depth: number): Sql[] =>
    filters.map((filter, i) => compile(filter, `${at}.${i}`, depth + 1));
  return compile(filters, place, 0);
}
