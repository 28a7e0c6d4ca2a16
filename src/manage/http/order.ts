import { type QueryParameter, wordParam } from "./query.ts";

/** How a list is ordered. */
export function orderParam(columns: Readonly<Record<string, string>>): QueryParameter {
  const names = Object.keys(columns);
  return wordParam("What it is ordered by; `-` before it for descending.", [
    ...names,
    ...names.map((name) => `-${name}`),
  ]);
}

/**
 * The column that `?order=name` or `?order=-name` means; an order that does not exist counts as absent. `usual`: a column, `-`
 * before it for descending.
 */
export function readOrder(order: string | null, columns: Readonly<Record<string, string>>, usual: string) {
  const asked = directed(order ?? "");
  return Object.hasOwn(columns, asked.column) ? { ...asked, column: columns[asked.column]! } : directed(usual);
}

const directed = (name: string) => ({ column: name.replace(/^-/, ""), descending: name.startsWith("-") });
