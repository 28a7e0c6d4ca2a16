import { Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../types/mod.ts";
import type { Table } from "./kind.ts";

export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** The members of an answer in rows; `types` differ. */
export const ROWS_RESPONSE = {
  results: Type.Array(Type.Unknown(), { description: "Rows, with their cells in the order of `columns`." }),
  columns: Type.Array(Type.String()),
  hogql: Type.String({ description: "The query as HogQL." }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  hasMore: Type.Boolean(),
};

/** Rows under the names of their columns. */
export function rowsTable({ columns, results }: JsonObject): Table {
  return { columns: list(columns).map(String), rows: list(results).map(list) };
}
