import type { DuckDBDataChunk } from "@duckdb/node-api";
import type { Found, RowFields, Slice, Walker } from "../../walk/mod.ts";
import { doublesOf, integersOf, unsignedOf } from "../engine/mod.ts";
import type { BoundText } from "./boundText.ts";
import type { Codes, Decoded } from "./foundTable.ts";
import type { WalkSession } from "./session.ts";

/** The rows of a walk in the order that the walker needs, with numbers for actors and values. */
export interface RowSource extends Codes {
  /** By code of an actor, when it was made, where the walk asks for it, as of `Known`. */
  readonly madeMs: Float64Array;
  /** Whether `walk` streams rows through the connection. */
  readonly isStreamed: boolean;
  /** Hands all rows to the walker, and what other threads have found of them to `append`. */
  walk(walker: Walker, append: (found: Found) => void): Promise<void>;
}

/** What stands for no value, where there is no breakdown. */
export const noValue = (): Decoded => ({ shown: "null", join: "" });

/** The masks of a row as the walker reads them, with commas. */
export const masksOf = ({ hasExcluded }: RowFields): string =>
  ["steps", ...(hasExcluded ? ["excluded"] : [])].map((name) => `coalesce(${name}, 0)::integer`).join(", ");

export const US = "epoch_us(timestamp)::double";

/** Rows of a statement with the columns actor UINTEGER or INTEGER, time DOUBLE, masks INTEGER, value UINTEGER. */
export async function* slicesOf(
  session: WalkSession,
  table: string,
  statement: BoundText,
  fields: RowFields,
): AsyncIterable<Slice> {
  yield* slicesAside(session, table, await session.setAside(table, statement), fields);
}

/** Such rows of a table that was set aside. */
export async function* slicesAside(
  session: WalkSession,
  table: string,
  count: number,
  fields: RowFields,
): AsyncIterable<Slice> {
  for await (const chunk of session.chunksAside(table, count)) yield sliceOf(chunk, fields);
}

function sliceOf(chunk: DuckDBDataChunk, { hasExcluded, hasValue }: RowFields): Slice {
  return {
    rowCount: chunk.rowCount,
    actor: unsignedOf(chunk, 0),
    us: doublesOf(chunk, 1),
    steps: integersOf(chunk, 2),
    excluded: hasExcluded ? integersOf(chunk, 3) : null,
    value: hasValue ? unsignedOf(chunk, hasExcluded ? 4 : 3) : null,
  };
}
