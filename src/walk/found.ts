/** Rows of a `Found`, at most. */
export const FOUND_ROWS = 2048;

/**
 * What a column of a walk's table tells: `actor`, `value` (codes of them; `NO_CODE` where there is no value), `text` (the code of a
 * text; `NO_CODE` is the empty one), `instant` (microseconds, NaN for none), `number` (whole, with a sign where its array has one),
 * `sum` (whole; the table has one row for all that are equal in what is no sum, with their sums), `measure` (NaN for none).
 */
export type FoundKind = "actor" | "value" | "text" | "instant" | "number" | "sum" | "measure";

/** The code of a text that the column gives itself. */
export const OTHER_CODE = 0xffff_ffff;

export interface FoundColumn {
  name: string;
  kind: FoundKind;
  values: Uint8Array | Uint32Array | Int32Array | Float64Array | BigInt64Array;
  /** Of `text`: what `OTHER_CODE` stands for. */
  other?: string | null;
}

/** What a walk has found, by columns of `FOUND_ROWS`; it is filled again once it was taken. */
export interface Found {
  rowCount: number;
  columns: readonly FoundColumn[];
}
