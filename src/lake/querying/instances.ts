import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { openInstance, sqlString } from "../duckdb.ts";
import type { ProcessSettings, Statement } from "./messages.ts";

/** So nothing that DuckDB keeps of files that are long gone adds up. */
const MAX_USES = 1_000;

/** An instance that can read these files of a project, and change nothing. */
interface Locked {
  database: DuckDBInstance;
  teamId: number;
  readable: ReadonlySet<string>;
  uses: number;
}

/**
 * The DuckDB instances of a query process. What an instance may read is said once, for good. So it serves a project for as long as
 * the project has no new files, and knows their footers by then: to parse those costs more than many a question. Another
 * stands ready for what it cannot serve; making one takes some 25 ms.
 */
export class Instances {
  private locked: Locked | null = null;
  private spare: Promise<DuckDBInstance> | null = null;

  constructor(private readonly settings: ProcessSettings) {}

  /** Makes one, where none stands ready. */
  async prepare(): Promise<void> {
    this.spare ??= this.open();
    await this.spare;
  }

  /** A connection for one statement; `release` must follow. */
  async connect(statement: Pick<Statement, "teamId" | "readable" | "files">): Promise<DuckDBConnection> {
    if (this.locked === null || !serves(this.locked, statement)) {
      this.drop();
      this.locked = await this.lock(statement);
    }
    this.locked.uses++;
    try {
      return await this.locked.database.connect();
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  /** The answer goes out first: to free what a query has used takes milliseconds. */
  release(connection: DuckDBConnection, isSound: boolean): void {
    // Whatever went wrong, the next statement does not inherit it.
    const left = isSound && this.locked !== null && this.locked.uses < MAX_USES ? null : this.locked;
    if (left !== null) this.locked = null;
    setImmediate(() => {
      connection.closeSync();
      left?.database.closeSync();
      // Who needs it learns of a failure.
      this.prepare().catch(() => {});
    });
  }

  private drop(): void {
    this.locked?.database.closeSync();
    this.locked = null;
  }

  private async lock({ teamId, readable, files }: Pick<Statement, "teamId" | "readable" | "files">): Promise<Locked> {
    const spare = this.spare ?? this.open();
    this.spare = null;
    const database = await spare;
    const names = new Set([...readable, ...files]);
    const connection = await database.connect();
    await connection.run(
      `set allowed_paths = [${[...names].map(sqlString).join(", ")}]; set enable_external_access = false; set lock_configuration = true`,
    );
    connection.closeSync();
    return { database, teamId, readable: names, uses: 0 };
  }

  private async open(): Promise<DuckDBInstance> {
    const { threads, memoryLimitBytes, spillDirectory, spillLimitBytes } = this.settings;
    const options = { threads, memoryLimitBytes, tempDirectory: spillDirectory, tempLimitBytes: spillLimitBytes };
    const database = await openInstance(options);
    const connection = await database.connect();
    // The system caches what is in the files.
    await connection.run("set global parquet_metadata_cache = true; set global enable_external_file_cache = false");
    connection.closeSync();
    return database;
  }
}

function serves(locked: Locked, { teamId, files }: Pick<Statement, "teamId" | "files">): boolean {
  return locked.teamId === teamId && files.every((name) => locked.readable.has(name));
}
