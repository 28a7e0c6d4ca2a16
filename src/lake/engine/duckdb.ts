import { mkdirSync, rmSync } from "node:fs";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { describeError, RetryableError } from "../../types/mod.ts";
import { bindAll, type SqlValue } from "./bind.ts";
import { duckdbClient } from "./duckdbClient.ts";
import { registerOwnFunctions } from "./ownFunctions.ts";

export interface EngineOptions {
  threads: number;
  memoryLimitBytes: number;
  /** Where it spills, its own: made when missing, removed by `close`. */
  tempDirectory: string;
  tempLimitBytes: number;
  /** The instance is closed after so long without a statement; 10 s where it is absent. */
  idleMs?: number;
  /** Reads no file twice: DuckDB would keep what it has read in all the memory that is free. */
  readsOnce?: boolean;
}

/** Runs statements, each on a connection of its own. */
export interface Scanner {
  /** All rows of a statement. Errors are DuckDB's own. */
  run(sql: string): Promise<DuckDBValue[][]>;
  /** As that of a `Session`. */
  scan(sql: string, rowCount: number, take: (chunk: DuckDBDataChunk) => void): Promise<void>;
}

/** An instance that nothing has run on for so long is closed: it would keep what it has read. Another one takes 25 ms. */
const IDLE_MS = 10_000;

/**
 * One DuckDB instance in memory, while there is something to run. Only `run` and `scan` are offered: the streaming calls of the client lose errors and
 * end with fewer rows as if that were all. An instance that DuckDB has declared invalid is replaced.
 */
export class Engine {
  private opened: Promise<DuckDBInstance> | null = null;
  private users = 0;
  private idle: Timer | undefined;

  constructor(private readonly options: EngineOptions) {}

  /** Runs `body` on a connection of its own; temporary tables end with it. Errors are DuckDB's own. */
  async use<T>(body: (connection: Session) => Promise<T>): Promise<T> {
    clearTimeout(this.idle);
    this.users++;
    this.opened ??= openInstance(this.options);
    const opened = this.opened;
    try {
      const session = new Session(await (await opened).connect());
      try {
        return await body(session);
      } finally {
        session.close();
      }
    } catch (error) {
      if (isInvalidated(error) && this.opened === opened) this.opened = null;
      throw error;
    } finally {
      if (--this.users === 0) this.idle = setTimeout(() => void this.letGo(), this.options.idleMs ?? IDLE_MS).unref();
    }
  }

  /** One statement on a connection of its own. */
  run(sql: string, params?: DuckDBValue[]): Promise<DuckDBValue[][]> {
    return this.use((session) => session.run(sql, params));
  }

  scan(sql: string, rowCount: number, take: (chunk: DuckDBDataChunk) => void): Promise<void> {
    return this.use((session) => session.scan(sql, rowCount, take));
  }

  /** Closes the instance, where nothing runs on it; the next statement opens another one. */
  async letGo(): Promise<void> {
    if (this.users === 0) await this.drop();
  }

  private async drop(): Promise<void> {
    clearTimeout(this.idle);
    const opened = this.opened;
    this.opened = null;
    (await opened?.catch(() => null))?.closeSync();
  }

  async close(): Promise<void> {
    await this.drop();
    rmSync(this.options.tempDirectory, { recursive: true, force: true });
  }
}

/** A connection that can only `run` and `scan`. */
export class Session {
  constructor(private readonly connection: DuckDBConnection) {}

  /** All rows of the result; integers of 64 bits come as bigint. */
  async run(sql: string, params?: DuckDBValue[]): Promise<DuckDBValue[][]> {
    const reader = await this.connection.runAndReadAll(sql, params);
    return reader.getRows();
  }

  /** The same of one statement with values of a query, each of its own type. */
  async runBound(sql: string, params: readonly SqlValue[]): Promise<DuckDBValue[][]> {
    const prepared = await this.connection.prepare(sql);
    try {
      bindAll(prepared, params);
      return await (await prepared.runAndReadAll()).getRows();
    } finally {
      prepared.destroySync();
    }
  }

  /**
   * Streams a result that has `rowCount` rows: `take` is lent its chunks, in any order. Errors after the first chunk are lost,
   * so RetryableError `rows_lost` is thrown when fewer or more rows came.
   */
  async scan(sql: string, rowCount: number, take: (chunk: DuckDBDataChunk) => void): Promise<void> {
    const result = await this.connection.stream(sql);
    let rows = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      rows += chunk.rowCount;
      take(chunk);
    }
    if (rows !== rowCount)
      throw new RetryableError("rows_lost", `a statement gave ${rows} rows instead of ${rowCount}`);
  }

  /** Ends the running statement with an error; may not reach into one long expression. */
  interrupt(): void {
    this.connection.interrupt();
  }

  close(): void {
    this.connection.closeSync();
  }
}

export async function openInstance(options: EngineOptions): Promise<DuckDBInstance> {
  mkdirSync(options.tempDirectory, { recursive: true });
  const database = await duckdbClient().DuckDBInstance.create(":memory:", {
    threads: String(options.threads),
    memory_limit: `${options.memoryLimitBytes}B`,
    temp_directory: options.tempDirectory,
    max_temp_directory_size: `${options.tempLimitBytes}B`,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    enable_external_file_cache: String(options.readsOnce !== true),
  });
  await registerOwnFunctions(database);
  return database;
}

/** After an INTERNAL error every statement fails: the instance must go. */
function isInvalidated(error: unknown): boolean {
  return /database has been invalidated|^INTERNAL Error|^FATAL Error/i.test(String((error as Error)?.message));
}

/** The machine or its disk failed, not the data: the same statement may pass later. */
export function isEnvironmentError(error: unknown): boolean {
  return /^(IO Error|Out of Memory Error|INTERRUPT Error|FATAL Error|Connection Error)/i.test(
    String((error as Error)?.message),
  );
}

/** The limit of the engine's memory or spill: the same rows would need as much again. */
export function isOutOfMemory(error: unknown): boolean {
  return /^Out of Memory Error/.test(describeError(error));
}

/** A file of the statement is not there. */
export function isMissingFile(error: unknown): boolean {
  return /No files found that match|Cannot open file .*No such file|does not exist: |No such file or directory/is.test(
    String((error as Error)?.message),
  );
}

/** What DuckDB says; below it shows the statement. */
export function firstLineOf(error: unknown): string {
  const [line = ""] = describeError(error).split("\n", 1);
  return line;
}
