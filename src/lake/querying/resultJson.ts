import {
  DuckDBArrayValue,
  type DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBMaterializedResult,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api";

/** The text of a result would be longer than allowed. */
export class ResultTooLarge extends Error {}

/** Characters of a piece, at least, but for the last one. */
const PIECE_LENGTH = 256 * 1024;

/**
 * The first `maxRows` rows as JSON texts of arrays, several rows with commas between them in each piece. Throws ResultTooLarge
 * above `maxLength` characters.
 */
export function rowsToJson(result: DuckDBMaterializedResult, maxRows: number, maxLength: number): string[] {
  const pieces: string[] = [];
  let length = 2;
  let left = maxRows;
  for (let i = 0; i < result.chunkCount && left > 0; i++) {
    const chunk = result.getChunk(i);
    const rows = chunkToJson(chunk, result.columnCount, Math.min(left, chunk.rowCount));
    left -= chunk.rowCount;
    for (const row of rows) length += row.length + 1;
    if (length > maxLength) throw new ResultTooLarge();
    addPieces(pieces, rows);
  }
  return pieces;
}

/** JSON texts of rows in pieces, as of `rowsToJson`. Throws ResultTooLarge above `maxLength` characters. */
export function inPieces(rows: readonly string[], maxLength: number): string[] {
  if (rows.reduce((sum, { length }) => sum + length + 1, 2) > maxLength) throw new ResultTooLarge();
  const pieces: string[] = [];
  addPieces(pieces, rows);
  return pieces;
}

function addPieces(pieces: string[], rows: readonly string[]): void {
  let piece: string[] = [];
  let length = 0;
  for (const row of rows) {
    piece.push(row);
    length += row.length;
    if (length < PIECE_LENGTH) continue;
    pieces.push(piece.join(","));
    piece = [];
    length = 0;
  }
  if (piece.length > 0) pieces.push(piece.join(","));
}

function chunkToJson(chunk: DuckDBDataChunk, columnCount: number, rowCount: number): string[] {
  const columns: string[][] = [];
  for (let c = 0; c < columnCount; c++) columns.push(chunk.getColumnValues(c).map(valueToJson));
  const rows: string[] = [];
  for (let r = 0; r < rowCount; r++) rows.push(`[${columns.map((column) => column[r]).join(",")}]`);
  return rows;
}

/** JSON text of one value: integers beyond 2^53 as strings of digits, NaN and infinities as null, times without zone. */
function valueToJson(value: DuckDBValue): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "bigint":
      return isSafe(value) ? String(value) : `"${value}"`;
    case "boolean":
      return String(value);
  }
  if (value instanceof DuckDBTimestampValue) return value.isFinite ? `"${timestampText(value.micros)}"` : "null";
  if (value instanceof DuckDBTimestampTZValue) return value.isFinite ? `"${timestampText(value.micros)}Z"` : "null";
  if (value instanceof DuckDBDateValue) return value.isFinite ? JSON.stringify(value.toString()) : "null";
  if (value instanceof DuckDBDecimalValue) return String(value.toDouble());
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    return `[${value.items.map(valueToJson).join(",")}]`;
  }
  if (value instanceof DuckDBStructValue) return entriesToJson(Object.entries(value.entries));
  if (value instanceof DuckDBMapValue) {
    return entriesToJson(value.entries.map(({ key, value: v }) => [String(key), v] as const));
  }
  return JSON.stringify(String(value));
}

function entriesToJson(entries: readonly (readonly [string, DuckDBValue])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${valueToJson(value)}`).join(",")}}`;
}

function isSafe(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);
}

/** "2021-01-01T00:00:00.000000". */
function timestampText(micros: bigint): string {
  const inMilli = ((micros % 1000n) + 1000n) % 1000n;
  const ms = Number((micros - inMilli) / 1000n);
  const date = new Date(ms);
  // Beyond what JavaScript's dates reach.
  if (Number.isNaN(date.getTime())) return String(new DuckDBTimestampValue(micros)).replace(" ", "T");
  return `${date.toISOString().slice(0, -1)}${String(inMilli).padStart(3, "0")}`;
}
