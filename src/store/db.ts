import type { TransactionSQL } from "bun";

/** Inside a transaction: Bun's tagged template. Values are always bound; never use `unsafe` with outside text. */
export type Tx = TransactionSQL;

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
