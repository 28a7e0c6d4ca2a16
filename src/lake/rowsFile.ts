import { describeError } from "../types/mod.ts";
import { rowGroupSize } from "./columns.ts";
import { type Engine, isEnvironmentError, sqlString } from "./duckdb.ts";
import { rawPath, rowsPath, temporary } from "./files.ts";
import { RawFile } from "./rawFile.ts";

/** How rows of one kind become a Parquet file. */
export interface RowsFormat<Row> {
  /** Columns as they stand in the raw file. */
  rawColumns: Record<string, string>;
  /** What the Parquet file holds, given the text of a table with the raw columns. */
  select(raw: string): string;
  /** Gives the line of each row in turn; it may remember what the rows have in common. */
  lineWriter(): (row: Row) => string;
  /** A row that must pass: when it does not, the engine is at fault and no row may be blamed. */
  control(model: Row): Row;
}

/** A row that storage refuses, with the reason. */
export interface Rejected<Row> {
  row: Row;
  reason: string;
}

/** Writes temporary Parquet files: rows in = rows out plus those that it hands back. */
export class RowsFile<Row> {
  constructor(
    private readonly directory: string,
    private readonly engine: Engine,
    private readonly format: RowsFormat<Row>,
  ) {}

  /**
   * Writes the temporary file of a segment; returns what had to be left out: a file that fails is narrowed down to the
   * rows that cause it. Throws what is the machine's fault.
   */
  async write(id: string, rows: readonly Row[]): Promise<Rejected<Row>[]> {
    const reason = await this.attempt(id, rows);
    if (reason === null) return [];
    const failure = await this.attempt(id, [this.format.control(rows[0]!)]);
    if (failure !== null) throw new Error(`storage refuses every row: ${failure}`);
    const rejected = await this.findRefused(id, rows, reason);
    const rest = without(rows, rejected);
    // What passes in halves may still fail as a whole; then the search goes on with what is left.
    return rest.length === 0 ? rejected : [...rejected, ...(await this.write(id, rest))];
  }

  /** Halves rows that fail together until single rows are left. */
  private async findRefused(id: string, rows: readonly Row[], reason: string): Promise<Rejected<Row>[]> {
    if (rows.length === 1) return [{ row: rows[0]!, reason }];
    const middle = rows.length >> 1;
    const rejected: Rejected<Row>[] = [];
    for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
      const failure = await this.attempt(id, half);
      if (failure !== null) rejected.push(...(await this.findRefused(id, half, failure)));
    }
    if (rejected.length === 0) throw new Error(`fails as a whole, not in halves: ${reason}`);
    return rejected;
  }

  /** Writes the file; null when it holds every row, else why the data was refused. */
  private async attempt(id: string, rows: readonly Row[]): Promise<string | null> {
    const raw = await this.writeRaw(rawPath(this.directory, id), rows);
    const target = sqlString(temporary(rowsPath(this.directory, id)));
    const rowGroup = rowGroupSize(raw.sizeBytes / rows.length);
    try {
      const result =
        await this.engine.run(`copy (${this.format.select(raw.reader(this.format.rawColumns))}) to ${target}
        (format parquet, compression zstd, compression_level 1, row_group_size ${rowGroup}, use_tmp_file false)`);
      const written = Number(result[0]?.[0]);
      return written === rows.length ? null : `${written} rows were written of ${rows.length}`;
    } catch (error) {
      if (isEnvironmentError(error)) throw error;
      return describeError(error).split("\n", 1)[0]!;
    }
  }

  private async writeRaw(path: string, rows: readonly Row[]): Promise<RawFile> {
    const raw = await RawFile.create(path);
    try {
      const lineOf = this.format.lineWriter();
      for (const row of rows) if (raw.add(lineOf(row))) await raw.flush();
      await raw.finish();
    } finally {
      await raw.close();
    }
    return raw;
  }
}

/** The rows that were not refused, in their order. */
export function without<Row>(rows: readonly Row[], rejected: readonly Rejected<Row>[]): readonly Row[] {
  if (rejected.length === 0) return rows;
  const refused = new Set(rejected.map(({ row }) => row));
  return rows.filter((row) => !refused.has(row));
}
