import type { DuckDBConnection, DuckDBDataChunk, DuckDBPreparedStatement } from "@duckdb/node-api";
import { bindAll, type SqlValue } from "../engine/mod.ts";
import type { BoundText } from "./boundText.ts";
import { keptFor } from "./kept.ts";
import { opened } from "./opened.ts";
import { OpenFiles } from "./openFiles.ts";
import { WalkThreads } from "./walkThreads.ts";

/** Does one thing with DuckDB, unless the statement is cancelled. */
export type Step = <T>(body: () => Promise<T>) => Promise<T>;

/** What a walk does with DuckDB. Errors are DuckDB's own. */
export class WalkSession {
  /** `connection`: of the statement that reads the walk's table. `beside`: another one of the same instance. */
  constructor(
    readonly connection: DuckDBConnection,
    readonly beside: DuckDBConnection,
    readonly step: Step,
    readonly threads = WalkThreads.NONE,
    readonly journeys = new OpenFiles(opened),
    readonly kept = keptFor(0, 0),
  ) {}

  /** The same with the other connection, where the two can be used at once; it has temporary tables of its own. */
  onBeside(): WalkSession {
    return new WalkSession(this.beside, this.beside, this.step, this.threads, this.journeys, this.kept);
  }

  async run(text: string, params: SqlValue[] = []): Promise<void> {
    const statement = await this.prepare(text, params);
    await this.step(() => statement.run());
    statement.destroySync();
  }

  /**
   * The rows of a statement, in their order, a chunk at a time. They go through a temporary table of this name, since the client
   * ends a stream early, without a word, where its statement fails: so the statement has come to its end before the first chunk.
   */
  async *chunks(table: string, statement: BoundText): AsyncIterable<DuckDBDataChunk> {
    yield* this.chunksAside(table, await this.setAside(table, statement));
  }

  /** Keeps the rows of a statement as a temporary table, for `chunksAside`. Answers how many there are. */
  async setAside(table: string, { text, params }: BoundText): Promise<number> {
    await this.run(`create temp table ${table} as ${text}`, params);
    const [[count] = []] = await this.rows(`select count(*) from ${table}`);
    return Number(count);
  }

  /** The rows of such a table, of which there are `count`; the table goes with the last one. */
  async *chunksAside(table: string, count: number): AsyncIterable<DuckDBDataChunk> {
    const result = await this.step(() => this.connection.stream(`select * from ${table}`));
    let left = count;
    while (left > 0) {
      const chunk = await this.step(() => result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) throw new Error(`${left} rows of ${table} were lost`);
      left -= chunk.rowCount;
      yield chunk;
    }
    await this.run(`drop table ${table}`);
  }

  /** The rows of a statement, a chunk at a time, which are all in memory before the first one. */
  async *chunksInMemory({ text, params }: BoundText): AsyncIterable<DuckDBDataChunk> {
    const statement = await this.prepare(text, params);
    const result = await this.step(() => statement.run());
    for (let i = 0; i < result.chunkCount; i++) yield result.getChunk(i);
    statement.destroySync();
  }

  /** All rows, as JS values. */
  async rows(text: string, params: SqlValue[] = []) {
    const statement = await this.prepare(text, params);
    const result = await this.step(() => statement.run());
    return result.getRows();
  }

  /** The type of the first column of a SELECT. */
  async firstType({ text, params }: BoundText): Promise<string> {
    // Before it runs, types that depend on bound values are not known.
    const statement = await this.prepare(`select * from (${text}\n) limit 0`, params);
    const type = String((await statement.run()).columnType(0));
    statement.destroySync();
    return type;
  }

  /** Only one statement. */
  private async prepare(text: string, params: SqlValue[]): Promise<DuckDBPreparedStatement> {
    return this.step(async () => {
      const statements = await this.connection.extractStatements(text);
      if (statements.count !== 1) throw new Error("Invalid Input Error: exactly one statement is allowed");
      const only = await statements.prepare(0);
      bindAll(only, params);
      return only;
    });
  }
}
