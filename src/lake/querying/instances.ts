import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { openInstance, sqlString } from "../engine/mod.ts";
import type { ProcessSettings, Statement } from "./messages.ts";

/** Bounds what DuckDB keeps of files that are gone. */
const MAX_USES = 1_000;

/** An instance that can read these files of a project, and change nothing. */
interface Locked {
  database: DuckDBInstance;
  teamId: number;
  readable: ReadonlySet<string>;
  uses: number;
  /** For the next statement: to make one takes most of a millisecond. */
  next: Promise<DuckDBConnection> | null;
}

/**
 * The DuckDB instances of a query process. What an instance may read is set once. So it serves a project for as long as
 * the project has no new files, and keeps their footers, whose parsing costs more than many a query. Another
 * one is ready for what it cannot serve; making one takes some 25 ms.
 */
export class Instances {
  private locked: Locked | null = null;
  /** Done with, and still to be closed. */
  private readonly left: Locked[] = [];
  private spare: Promise<DuckDBInstance> | null = null;

  constructor(private readonly settings: Omit<ProcessSettings, "walks">) {}

  /** Makes one, where none is ready. */
  async prepare(): Promise<void> {
    this.spare ??= this.open();
    await this.spare;
  }

  /** A connection for one statement; `release` must follow. */
  async connect(statement: Pick<Statement, "teamId" | "readable" | "files">): Promise<DuckDBConnection> {
    if (this.locked === null || !serves(this.locked, statement)) {
      this.leave();
      this.locked = await this.lock(statement);
    }
    const { locked } = this;
    locked.uses++;
    const next = locked.next ?? connected(locked.database);
    locked.next = null;
    try {
      return await next;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** A second connection for the same statement, to be closed before `release`. */
  beside(): Promise<DuckDBConnection> {
    return this.locked!.database.connect();
  }

  /** The answer goes out first: to free what a query has used takes milliseconds. */
  release(connection: DuckDBConnection, isSound: boolean): void {
    // An instance that failed is not used again.
    if (!isSound || (this.locked?.uses ?? 0) >= MAX_USES) this.leave();
    setImmediate(() => {
      connection.closeSync();
      for (const locked of this.left.splice(0)) void close(locked);
      // The next `connect` reports a failure.
      if (this.locked !== null) {
        this.locked.next ??= connected(this.locked.database);
        this.locked.next.catch(() => {});
      }
      this.prepare().catch(() => {});
    });
  }

  private leave(): void {
    if (this.locked !== null) this.left.push(this.locked);
    this.locked = null;
  }

  private async lock({ teamId, readable }: Pick<Statement, "teamId" | "readable">): Promise<Locked> {
    const spare = this.spare ?? this.open();
    this.spare = null;
    const database = await spare;
    const connection = await database.connect();
    await connection.run(
      `set allowed_paths = [${readable.map(sqlString).join(", ")}]; set enable_external_access = false; set lock_configuration = true`,
    );
    connection.closeSync();
    return { database, teamId, readable: new Set(readable), uses: 0, next: null };
  }

  private async open(): Promise<DuckDBInstance> {
    const { threads, memoryLimitBytes, spillDirectory, spillLimitBytes } = this.settings;
    const options = { threads, memoryLimitBytes, tempDirectory: spillDirectory, tempLimitBytes: spillLimitBytes };
    const database = await openInstance(options);
    const connection = await database.connect();
    // The system caches the files.
    await connection.run("set global parquet_metadata_cache = true; set global enable_external_file_cache = false");
    connection.closeSync();
    return database;
  }
}

async function connected(database: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await database.connect();
  // These are of a connection, and the lock lets no setting pass but as a pragma.
  await connection.run("pragma enable_progress_bar; pragma disable_print_progress_bar");
  return connection;
}

async function close({ database, next }: Locked): Promise<void> {
  (await next?.catch(() => null))?.closeSync();
  database.closeSync();
}

function serves(locked: Locked, { teamId, files }: Pick<Statement, "teamId" | "files">): boolean {
  return locked.teamId === teamId && files.every((name) => locked.readable.has(name));
}
