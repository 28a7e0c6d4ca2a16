import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { foreignRows } from "../../lake/mod.ts";
import { describeError, type Json, type JsonObject, TerminalError } from "../../types/mod.ts";
import { parseExact } from "../exact.ts";
import { FileUnreadable, type Input } from "./input.ts";
import { type Row, TableRow } from "./row.ts";

const MEMORY_BYTES = 128 << 20;
const SPILL_BYTES = 1 << 30;

/** The rows of a Parquet file. One that is not on this machine is copied to `scratch` first. Throws FileUnreadable. */
export async function* parquetRows(
  input: Input,
  { scratch, signal }: { scratch: string; signal: AbortSignal },
): AsyncGenerator<Row[]> {
  const path = input.path ?? join(scratch, "copied.parquet");
  if (input.path === null) await pipeline(Readable.from(input.open(signal)), createWriteStream(path));
  const tempDirectory = join(scratch, "duckdb");
  const engine = { threads: 1, memoryLimitBytes: MEMORY_BYTES, tempDirectory, tempLimitBytes: SPILL_BYTES };
  let line = 1;
  try {
    for await (const { columns, rows } of foreignRows(path, engine)) {
      const first = line;
      line += rows.length;
      yield rows.map((text, i) => new TableRow(first + i, () => rowOf(columns, text)));
    }
  } catch (error) {
    if (error instanceof TerminalError)
      throw new FileUnreadable(`The Parquet file is damaged: ${describeError(error)}`);
    throw error;
  } finally {
    if (input.path === null) await rm(path, { force: true });
    await rm(tempDirectory, { recursive: true, force: true });
  }
}

function rowOf(columns: readonly string[], text: string): JsonObject {
  const values = parseExact(text) as Json[];
  const row: JsonObject = {};
  for (const [i, name] of columns.entries()) {
    const value = values[i];
    if (value !== null && value !== undefined) row[name] = value;
  }
  return row;
}
