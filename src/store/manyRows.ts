import type { Tx, Value } from "./db.ts";
import type { Dialect } from "./migration.ts";

/** A value of a row: what both dialects read out of JSON as it was. */
export type RowValue = string | number | null;

/**
 * Any number of rows as one bound value: a table for FROM with a column `value`, of which `value ->> 0` is the first value as
 * text, `cast(value ->> 1 as bigint)` the second as an integer. So a statement has one text, however many rows it takes.
 */
export function manyRows(tx: Tx, dialect: Dialect, rows: readonly (readonly RowValue[])[]) {
  const text = JSON.stringify(rows);
  return dialect === "sqlite" ? tx`json_each(${text})` : tx`jsonb_array_elements((${text}::text)::jsonb)`;
}

/** Any number of texts as one bound value: a table for FROM with a column `value`. A third cheaper than rows of one text each. */
export function manyTexts(tx: Tx, dialect: Dialect, texts: readonly string[]) {
  const text = JSON.stringify(texts);
  return dialect === "sqlite" ? tx`json_each(${text})` : tx`jsonb_array_elements_text((${text}::text)::jsonb)`;
}

/** Where rows go: names that stand in the source. */
export interface RowsTarget {
  table: string;
  /** With their types, in the order of a row's values. */
  columns: Readonly<Record<string, "bigint" | "text">>;
  /** What follows the rows: `on conflict …`. */
  onConflict: string;
}

/** More rows would be too long a text for one statement. */
const ROWS_AT_ONCE = 5_000;

/**
 * Inserts any number of rows, in their order, by the way that each store is quickest in: SQLite by a prepared statement for each row, half of what
 * reading them out of JSON takes there; PostgreSQL by JSON, as each statement is a round trip.
 */
export async function insertRows(
  tx: Tx,
  dialect: Dialect,
  target: RowsTarget,
  rows: readonly (readonly RowValue[])[],
): Promise<void> {
  const columns = Object.entries(target.columns);
  const head = `insert into ${target.table} (${Object.keys(target.columns).join(", ")})`;
  if (dialect === "sqlite") {
    const text = `${head} values (${columns.map(() => "?").join(", ")}) ${target.onConflict}`;
    for (const row of rows) await tx.unsafe(text, row as Value[]);
    return;
  }
  const values = columns.map(([, type], i) => (type === "text" ? `value ->> ${i}` : `cast(value ->> ${i} as bigint)`));
  const text = `${head} select ${values.join(", ")} from jsonb_array_elements(($1::text)::jsonb) ${target.onConflict}`;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx.unsafe(text, [JSON.stringify(rows.slice(at, at + ROWS_AT_ONCE))]);
  }
}
