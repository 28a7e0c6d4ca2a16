/** A value that a statement binds. */
export type Value = string | number | bigint | boolean | null | Uint8Array;

/**
 * A statement, which runs when it is awaited; or a part of another one, which never is. It gives its rows: their shape is what the
 * statement selects, which the caller declares.
 */
// biome-ignore lint/suspicious/noExplicitAny: the edge to the database, whose rows have the shape that the statement gives them.
export interface Query extends Promise<any> {}

/** A name, a list for `in`, or columns and values of rows: a part of a statement that is no value. */
export type Part = object;

/** Inside a transaction: a tagged template. Values are always bound; never use `unsafe` with outside text. */
export interface Tx {
  (text: TemplateStringsArray, ...values: unknown[]): Query;
  /** A name in quotes; a list for `in`; what an insert or `set` takes of one row; what an insert takes of several. */
  (part: string | readonly (string | number)[] | object | readonly object[]): Part;
  /** A text that stands in the source, with its values in order: `?` of SQLite, `$1` of PostgreSQL. */
  unsafe(text: string, values?: Value[]): Query;
}

/** An integer as the store gives it: a number or a string, depending on the dialect. Wrap it in `Number()`. */
export type Stored = number | string;

export const numberOrNull = (value: Stored | null): number | null => (value === null ? null : Number(value));

/**
 * The relational store: SQLite (one machine) or PostgreSQL, by the same statements.
 * Times are epoch milliseconds in bigint columns, booleans are 0 or 1, JSON is text.
 */
export interface Db {
  readonly dialect: "sqlite" | "postgres";
  /** The clock of a store that has none of its own (SQLite), epoch milliseconds. */
  nowMs(): number;
  /** Several reads on one consistent snapshot. */
  read<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** One durable transaction; `body` may run again after a busy store, so it must not have other effects. */
  write<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How many rows a statement changed. */
export function changed(result: unknown): number {
  return Number((result as { count: number }).count);
}
