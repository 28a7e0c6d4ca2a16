import type { EventRow, LogRow } from "../../types/mod.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * A row with more text than this is wide. DuckDB works on 2,048 rows at a time, however large: of narrow ones these are
 * 32 MiB at most, but of events of 900 KB they would be 1.8 GB. So the text of wide rows is counted by file (`wideBytes`),
 * and both flushes and compaction keep it small.
 */
const WIDE_ROW_BYTES = 16 * KiB;

/** Text of wide rows in a file that a flush writes. */
const FLUSH_FILE_WIDE_BYTES = 16 * MiB;
/** UTF-8 bytes that one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;

/** Text of an event in bytes if it is wide, else 0. */
export function wideBytesOfEvent({ event, properties, elementsChain }: EventRow): number {
  return wideBytes(properties, event, elementsChain);
}

/** The same of a row of the log. */
export function wideBytesOfLog(row: LogRow): number {
  if (row.kind === "property") return wideBytes(row.value, row.key, "");
  return "values" in row ? wideBytes(row.values, "", "") : 0;
}

function wideBytes(a: string, b: string, c: string): number {
  if ((a.length + b.length + c.length) * MAX_BYTES_PER_UNIT <= WIDE_ROW_BYTES) return 0;
  const bytes = Buffer.byteLength(a) + Buffer.byteLength(b) + Buffer.byteLength(c);
  return bytes > WIDE_ROW_BYTES ? bytes : 0;
}

/** The rows in their order, in as many pieces as files are needed for them. */
export function inFiles<Row extends EventRow>(rows: readonly Row[]): (readonly Row[])[] {
  const files: (readonly Row[])[] = [];
  let start = 0;
  let wide = 0;
  for (const [i, row] of rows.entries()) {
    const bytes = wideBytesOfEvent(row);
    if (wide + bytes > FLUSH_FILE_WIDE_BYTES && i > start) {
      files.push(rows.slice(start, i));
      start = i;
      wide = 0;
    }
    wide += bytes;
  }
  files.push(start === 0 ? rows : rows.slice(start));
  return files;
}

/** SQL text: of rows of a table, the text of the wide ones in bytes. `columns` are those that hold text. */
export function sumWideBytes(table: string, columns: readonly string[]): string {
  const bytes = columns.map((column) => `coalesce(strlen(${column}), 0)`).join(" + ");
  return `select coalesce(sum(n) filter (n > ${WIDE_ROW_BYTES}), 0)::bigint from (select ${bytes} as n from ${table})`;
}

const ROW_GROUP_MAX_ROWS = 122_880;
const ROW_GROUP_MIN_ROWS = 2_048;
/**
 * Text of properties in a row group. DuckDB reads and writes it in one piece for each thread, so this bounds the
 * memory of every scan, not only of writing.
 */
const ROW_GROUP_TEXT_BYTES = 32 * 1024 * 1024;

/** Rows of a Parquet row group, given the average length of properties. */
export function rowGroupSize(textBytesPerRow: number): number {
  const rows = ROW_GROUP_TEXT_BYTES / Math.max(1, textBytesPerRow);
  const whole = Math.floor(rows / ROW_GROUP_MIN_ROWS) * ROW_GROUP_MIN_ROWS;
  return Math.min(ROW_GROUP_MAX_ROWS, Math.max(ROW_GROUP_MIN_ROWS, whole));
}
