import type { DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import { Engine, type EngineOptions, type Session } from "./duckdb.ts";
import { duckdbClient } from "./duckdbClient.ts";

/** Values that a statement reads as constants: so the planner knows them, and no key of a user is SQL text. */
export type Variables = Readonly<Record<string, string | string[]>>;

/** What a statement reads, and how it is run. */
export interface RunOptions {
  variables?: Variables;
  params?: DuckDBValue[];
  /** Each join has its right side in memory, as written; else the engine chooses, and its guess may be the side of wide rows. */
  keepsSides?: boolean;
}

/** An engine that runs one statement at a time, and can be stopped in the middle of it. */
export class StoppableEngine {
  private readonly engine: Engine;
  private session: Session | null = null;
  /** Whether nothing runs any more. */
  isInterrupted = false;

  constructor(options: EngineOptions) {
    this.engine = new Engine(options);
  }

  /** `variables`: values that the statement reads by `getvariable`. `params`: its `$1…`. */
  run(sql: string, { variables = {}, params, keepsSides = false }: RunOptions = {}): Promise<DuckDBValue[][]> {
    return this.use(async (session) => {
      for (const [name, value] of Object.entries(variables)) {
        await session.run(`set variable ${name} = $1`, [
          typeof value === "string" ? value : duckdbClient().listValue(value),
        ]);
      }
      // Of the whole instance: other statements may choose.
      if (keepsSides) await session.run("set disabled_optimizers = 'build_side_probe_side'");
      try {
        return await session.run(sql, params);
      } finally {
        // An instance that the statement has ended cannot be reset, and is replaced; its error is the one that counts.
        if (keepsSides) await session.run("reset disabled_optimizers").catch(() => {});
      }
    });
  }

  /** As that of a `Session`. */
  scan(sql: string, rowCount: number, take: (chunk: DuckDBDataChunk) => void): Promise<void> {
    return this.use((session) => session.scan(sql, rowCount, take));
  }

  private use<T>(body: (session: Session) => Promise<T>): Promise<T> {
    return this.engine.use(async (session) => {
      this.checkRunning();
      this.session = session;
      try {
        return await body(session);
      } finally {
        this.session = null;
      }
    });
  }

  /** Throws where nothing runs any more. */
  checkRunning(): void {
    if (this.isInterrupted) throw new Error("INTERRUPT Error: the compactor is stopping");
  }

  /** Ends the running statement with an error, and starts none any more. */
  interrupt(): void {
    this.isInterrupted = true;
    this.session?.interrupt();
  }

  /** As that of an `Engine`. */
  async letGo(): Promise<void> {
    await this.engine.letGo();
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}
