import type { Tx } from "./db.ts";
import type { Dialect } from "./migration.ts";

/** A value of a row: what both dialects read out of JSON as it was. */
export type RowValue = string | number;

/**
 * Any number of rows as one bound value: a table for FROM with a column `value`, of which `value ->> 0` is the first value as
 * text, `cast(value ->> 1 as bigint)` the second as an integer. So a statement has one text, however many rows it takes.
 */
export function manyRows(tx: Tx, dialect: Dialect, rows: readonly (readonly RowValue[])[]) {
  const text = JSON.stringify(rows);
  return dialect === "sqlite" ? tx`json_each(${text})` : tx`jsonb_array_elements((${text}::text)::jsonb)`;
}
