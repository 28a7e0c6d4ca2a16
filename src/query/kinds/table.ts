import type { Json, JsonObject } from "../../types/mod.ts";
import type { Table } from "./kind.ts";

export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Rows under the names of their columns. */
export function rowsTable({ columns, results }: JsonObject): Table {
  return { columns: list(columns).map(String), rows: list(results).map(list) };
}
