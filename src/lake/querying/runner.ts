import { type DuckDBConnection, type DuckDBPreparedStatement, DuckDBTypeId } from "@duckdb/node-api";
import { bindAll } from "../engine/mod.ts";
import {
  type Kept,
  keptFor,
  OpenFiles,
  opened,
  type Step,
  shownColumns,
  shownOf,
  WalkSession,
  WalkTable,
  WalkThreads,
} from "../walking/mod.ts";
import { Instances } from "./instances.ts";
import { JsonFile } from "./jsonFile.ts";
import type { ProcessSettings, Statement, StatementProgress, StatementResult } from "./messages.ts";
import { inPieces, ResultTooLarge, rowsToJson } from "./resultJson.ts";

/** Runs one statement at a time, on DuckDB instances that can read nothing but the files of the statement's project. */
export class Runner {
  private readonly instances: Instances;
  private readonly walkThreads: WalkThreads;
  private readonly journeys = new OpenFiles(opened);
  private readonly kept: Kept;
  private running: { connection: DuckDBConnection } | null = null;
  private isCancelled = false;

  constructor(settings: ProcessSettings) {
    this.instances = new Instances(settings);
    this.kept = keptFor(settings.memoryLimitBytes, settings.walks.asksBeforeKept);
    this.walkThreads = new WalkThreads(settings.threads, settings.walks);
  }

  /** Resolves when the first instance is ready. */
  ready(): Promise<void> {
    return this.instances.prepare();
  }

  /** Errors are DuckDB's own, or ResultTooLarge. */
  async run(statement: Statement): Promise<StatementResult> {
    const startedAt = performance.now();
    this.isCancelled = false;
    let isSound = false;
    const sessions: WalkSession[] = [];
    this.journeys.keep(statement.journeys);
    const connection = await this.instances.connect(statement);
    this.running = { connection };
    try {
      const shown = shownColumns(statement.text, statement.walks);
      const { types, pieces, rowCount } =
        shown === null
          ? await this.selected(connection, statement, sessions)
          : await this.counted(connection, statement, shown, sessions);
      const answer = {
        types,
        ...(await writtenRows(pieces, statement.longPath)),
        rowCount: Math.min(rowCount, statement.maxRows),
        hasMore: rowCount > statement.maxRows,
        elapsedMs: performance.now() - startedAt,
      };
      isSound = true;
      return answer;
    } finally {
      this.running = null;
      for (const { beside } of sessions) beside.closeSync();
      this.instances.release(connection, isSound);
    }
  }

  /** Null while nothing is known. */
  progress(): StatementProgress | null {
    const { percentage = -1, rows_processed, total_rows_to_process } = this.running?.connection.progress ?? {};
    if (percentage < 0) return null;
    return { rowsRead: Number(rows_processed), rowsTotal: Number(total_rows_to_process) };
  }

  /** Ends the running statement with an INTERRUPT error; one long expression may not notice. */
  cancel(): void {
    this.isCancelled = true;
    this.running?.connection.interrupt();
  }

  /** The rows of a statement, by DuckDB. */
  private async selected(connection: DuckDBConnection, statement: Statement, sessions: WalkSession[]): Promise<Rows> {
    const tables: WalkTable[] = [];
    for (const walk of statement.walks) {
      const table = new WalkTable(walk, await this.session(connection, sessions));
      tables.push(table);
      await table.fill();
    }
    await this.materialize(connection, statement);
    const rows = await this.step(() => connection.prepare("select * from result"));
    await this.checkSize(connection, rows, statement.maxResultBytes);
    const result = await this.step(() => rows.run());
    const pieces = rowsToJson(result, statement.maxRows, statement.maxResultBytes);
    for (const table of tables) await table.drop();
    return { types: result.columnTypes().map(String), pieces, rowCount: result.rowCount };
  }

  /** Those of one that shows these columns of what its walk has counted. */
  private async counted(
    connection: DuckDBConnection,
    { walks, maxRows, maxResultBytes }: Statement,
    columns: number[],
    sessions: WalkSession[],
  ): Promise<Rows> {
    const { types, rows } = await shownOf(walks[0]!, columns, await this.session(connection, sessions));
    return { types, pieces: inPieces(rows.slice(0, maxRows), maxResultBytes), rowCount: rows.length };
  }

  /** For a walk; `sessions` has all that are open. */
  private async session(connection: DuckDBConnection, sessions: WalkSession[]): Promise<WalkSession> {
    const beside = await this.instances.beside();
    const step: Step = (body) => this.step(body);
    const session = new WalkSession(connection, beside, step, this.walkThreads, this.journeys, this.kept);
    sessions.push(session);
    return session;
  }

  /** Runs the statement into a temporary table, so that its size is known before it is converted. Only a query can be in brackets. */
  private async materialize(connection: DuckDBConnection, { text, params, maxRows }: Statement): Promise<void> {
    const whole = `create temp table result as select * from (${text}\n) limit ${maxRows + 1}`;
    const statements = await this.step(() => connection.extractStatements(whole));
    if (statements.count !== 1) throw new Error("Invalid Input Error: exactly one statement is allowed");
    const only = await this.step(() => statements.prepare(0));
    bindAll(only, params);
    await this.step(() => only.run());
    only.destroySync();
  }

  private async checkSize(connection: DuckDBConnection, rows: DuckDBPreparedStatement, maxResultBytes: number) {
    const columns = Array.from({ length: rows.columnCount }, (_, i) => i);
    const variable = columns.filter((i) => VARIABLE_TYPES.has(rows.columnTypeId(i)));
    if (variable.length === 0) return;
    const bytes = variable.map((i) => `coalesce(sum(strlen(c${i}::varchar)), 0)`).join(" + ");
    const names = columns.map((i) => `c${i}`).join(", ");
    const result = await this.step(() => connection.run(`select ${bytes} from result t(${names})`));
    const [[sum] = []] = await result.getRows();
    if (Number(sum) > maxResultBytes) throw new ResultTooLarge();
  }

  /** A cancel may come between two statements, where an interrupt would reach nothing. */
  private async step<T>(body: () => Promise<T>): Promise<T> {
    if (this.isCancelled) throw new Error("INTERRUPT Error: cancelled");
    return body();
  }
}

/** `pieces`: JSON of the rows, `maxRows` at most; `rowCount`: of all, or of one more than those. */
interface Rows {
  types: string[];
  pieces: string[];
  rowCount: number;
}

/** Rows whose text is longer go to a file, where that is wanted. */
const LONG_LENGTH = 1024 * 1024;

async function writtenRows(pieces: string[], longPath: string | null) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (longPath === null || length < LONG_LENGTH) return { rowsJson: `[${pieces.join(",")}]`, longBytes: null };
  const { sizeBytes } = await JsonFile.write(longPath, pieces);
  return { rowsJson: "", longBytes: sizeBytes };
}

/** Values of any length. */
const VARIABLE_TYPES = new Set([
  DuckDBTypeId.VARCHAR,
  DuckDBTypeId.BLOB,
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.BIT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.VARIANT,
]);
