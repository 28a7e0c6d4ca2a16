import type { DuckDBConnection } from "@duckdb/node-api";
import { describeError, RetryableError, TerminalError } from "../../types/mod.ts";
import { type EngineOptions, firstLineOf, isEnvironmentError, openInstance } from "../engine/mod.ts";

/** Some rows of a Parquet file that others wrote. */
export interface ForeignRows {
  /** The names of its columns. */
  columns: readonly string[];
  /** Each row as a JSON list of the values of `columns`. */
  rows: string[];
}

/**
 * The rows of a Parquet file in its order, in bounded memory. Times come as ISO 8601 in UTC with microseconds, integers with all their
 * digits, bytes as text where they are UTF-8 and else in base64, structs, lists and maps as JSON; NaN and infinities as null.
 * Throws TerminalError `parquet_unreadable` and RetryableError `parquet_failed`.
 */
export async function* foreignRows(path: string, options: EngineOptions): AsyncGenerator<ForeignRows> {
  const instance = await openInstance(options);
  const connection = await instance.connect();
  try {
    const { file, columns, types } = await described(connection, path);
    const [[counted] = []] = await asked(connection, `select count(*) from ${file}`, path);
    let read = 0;
    for await (const rows of textsOf(connection, path, { file, types })) {
      read += rows.length;
      yield { columns, rows };
    }
    // The client loses errors after the first rows.
    if (read !== Number(counted)) {
      throw new TerminalError("parquet_unreadable", `the file gave ${read} of its ${counted} rows`);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

interface Described {
  /** SQL text of a table. */
  file: string;
  columns: string[];
  types: string[];
}

/** Bytes inside of structs and lists are read as text: nothing else could be made of them one by one. */
async function described(connection: DuckDBConnection, path: string): Promise<Described> {
  const plain = await describedBy(connection, "read_parquet($1)", path);
  const isNested = plain.types.some((type) => type !== "BLOB" && type.includes("BLOB"));
  return isNested ? describedBy(connection, "read_parquet($1, binary_as_string = true)", path) : plain;
}

async function describedBy(connection: DuckDBConnection, file: string, path: string): Promise<Described> {
  const rows = await asked(connection, `describe select * from ${file}`, path);
  return { file, columns: rows.map(([name]) => String(name)), types: rows.map(([, type]) => String(type)) };
}

async function asked(connection: DuckDBConnection, sql: string, path: string): Promise<unknown[][]> {
  try {
    return (await connection.runAndReadAll(sql, [path])).getRows();
  } catch (error) {
    throw failure(error);
  }
}

async function* textsOf(
  connection: DuckDBConnection,
  path: string,
  { file, types }: { file: string; types: readonly string[] },
): AsyncGenerator<string[]> {
  // Names of columns are the file's, so they are replaced by numbers.
  const names = types.map((_, i) => `c${i}`);
  const values = types.map((type, i) => jsonOf(type, `c${i}`));
  const sql = `select json_array(${values.join(", ")})::varchar from ${file} as t(${names.join(", ")})`;
  try {
    const result = await connection.stream(sql, [path]);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      yield (chunk.getColumnValues(0) as string[]).map(withoutInfinities);
    }
  } catch (error) {
    throw failure(error);
  }
}

/** SQL text of a column's value, such that JSON shows it as promised. */
function jsonOf(type: string, column: string): string {
  switch (type) {
    case "TIMESTAMP":
    case "TIMESTAMP_S":
    case "TIMESTAMP_MS":
    case "TIMESTAMP_NS":
      return isoOf(`${column}::timestamp`);
    case "TIMESTAMP WITH TIME ZONE":
      return isoOf(`make_timestamp(epoch_us(${column}))`);
    case "FLOAT":
    case "DOUBLE":
      return `case when isfinite(${column}) then ${column} end`;
    case "DATE":
    case "TIME":
    case "UUID":
      return `${column}::varchar`;
    case "BLOB":
      return `case when ${column} is null then null else coalesce(try(decode(${column})), base64(${column})) end`;
    case "JSON":
      return `${column}::varchar`;
    default:
      return column;
  }
}

const NO_JSON = /NaN|Infinity/;
const TEXT_OR_NO_JSON = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;

/** DuckDB writes numbers inside of structs and lists as they are. */
const withoutInfinities = (row: string): string =>
  NO_JSON.test(row) ? row.replace(TEXT_OR_NO_JSON, (found) => (found.startsWith('"') ? found : "null")) : row;

const isoOf = (timestamp: string): string => `strftime(${timestamp}, '%Y-%m-%dT%H:%M:%S.%fZ')`;

function failure(error: unknown): Error {
  const problem = firstLineOf(error) || describeError(error);
  if (isEnvironmentError(error) && !/No magic bytes|too small|footer|corrupt|Invalid/i.test(problem)) {
    return new RetryableError("parquet_failed", problem);
  }
  return new TerminalError("parquet_unreadable", problem);
}
