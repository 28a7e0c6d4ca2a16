import { type QueryParameter, wordParam } from "./query.ts";

/** How a list is ordered. */
export function orderParam(columns: Readonly<Record<string, string>>): QueryParameter {
  const names = Object.keys(columns);
  return wordParam("What it is ordered by; `-` before it for descending.", [
    ...names,
    ...names.map((name) => `-${name}`),
  ]);
}

/** The column that `?order=name` or `?order=-name` means; an order that does not exist counts as absent. */
export function readOrder<C extends string>(
  order: string | null,
  columns: Readonly<Record<string, C>>,
  fallback: C,
): { column: C; descending: boolean } {
  const descending = order?.startsWith("-") ?? false;
  const name = (descending ? order?.slice(1) : order) ?? "";
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  return column === undefined ? { column: fallback, descending: false } : { column, descending };
}
