import { type Engine, firstLineOf, isEnvironmentError, RawFile, sqlString } from "../engine/mod.ts";
import { draftPath, rawPath } from "../storage/mod.ts";
import { rowGroupSize } from "./textSizes.ts";

/** How rows of one kind become a Parquet file. */
export interface RowsFormat<Row> {
  /** Columns of the raw file. */
  rawColumns: Record<string, string>;
  /** SELECT of the rows of the Parquet file, given the text of a table with the raw columns. */
  select(raw: string): string;
  /** For readers of the file alone: kept in it under this name, as JSON. */
  metadata?: { name: string; json: string };
  /** Writes each row in turn, without the line's end; it may keep state between rows. */
  lineWriter(): (row: Row, line: RawLine) => void;
  /** A row that must pass: when it does not, the engine is at fault and no row may be blamed. */
  control(model: Row): Row;
}

/** The line that is being written. */
export type RawLine = Pick<RawFile, "field" | "text" | "bytes">;

/** A row that storage refuses, with the reason. */
export interface Rejected<Row> {
  row: Row;
  reason: string;
}

/** Small ones stay in the caches of the CPU while they are made, a third cheaper; compaction makes large ones of them. */
const ROW_GROUP_MAX_ROWS = 8_192;

/** Writes drafts of Parquet files: rows in = rows out plus those that it hands back. */
export class RowsFile<Row> {
  constructor(
    private readonly workDirectory: string,
    private readonly engine: Engine,
    private readonly format: RowsFormat<Row>,
    /** Called while the engine, in a thread of its own, writes a file of these rows. */
    private readonly meanwhile: (rows: readonly Row[]) => void = () => {},
  ) {}

  /**
   * Writes the rows of a segment; returns the rows left out: a file that fails is narrowed down to the
   * rows that cause it. Throws errors of the machine.
   */
  async write(id: string, rows: readonly Row[]): Promise<Rejected<Row>[]> {
    const reason = await this.attempt(id, rows);
    if (reason === null) return [];
    const [model] = rows;
    if (model === undefined) return [];
    const failure = await this.attempt(id, [this.format.control(model)]);
    if (failure !== null) throw new Error(`storage refuses every row: ${failure}`);
    const rejected = await this.findRefused(id, rows, reason);
    const rest = without(rows, rejected);
    // Rows that pass in halves may still fail together; then the search goes on with the rest.
    return rest.length === 0 ? rejected : [...rejected, ...(await this.write(id, rest))];
  }

  /** Halves rows that fail together until single rows are left. */
  private async findRefused(id: string, rows: readonly Row[], reason: string): Promise<Rejected<Row>[]> {
    const [row, ...others] = rows;
    if (row !== undefined && others.length === 0) return [{ row, reason }];
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
    const raw = await this.writeRaw(rawPath(this.workDirectory, id), rows);
    const target = sqlString(draftPath(this.workDirectory, { id, part: "rows" }));
    const rowGroup = Math.min(ROW_GROUP_MAX_ROWS, rowGroupSize(raw.sizeBytes / rows.length));
    const { select, rawColumns, metadata } = this.format;
    const told = metadata === undefined ? "" : `, kv_metadata {${metadata.name}: getvariable('metadata')}`;
    try {
      const result = await this.engine.use(async (session) => {
        if (metadata !== undefined) await session.run("set variable metadata = $1", [metadata.json]);
        const copying = session.run(`copy (${select(raw.reader(rawColumns))}) to ${target} (format parquet,
          compression zstd, compression_level 1, row_group_size ${rowGroup}, use_tmp_file false${told})`);
        this.meanwhile(rows);
        return copying;
      });
      const written = Number(result[0]?.[0]);
      return written === rows.length ? null : `${written} rows were written of ${rows.length}`;
    } catch (error) {
      if (isEnvironmentError(error)) throw error;
      return firstLineOf(error);
    }
  }

  private async writeRaw(path: string, rows: readonly Row[]): Promise<RawFile> {
    const raw = await RawFile.create(path);
    try {
      const write = this.format.lineWriter();
      for (const row of rows) {
        write(row, raw);
        if (raw.endLine()) await raw.flush();
      }
      await raw.flush();
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
