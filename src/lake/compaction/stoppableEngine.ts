import type { DuckDBValue } from "@duckdb/node-api";
import { Engine, type EngineOptions, type Session } from "../duckdb.ts";

/** An engine that runs one statement at a time, and can be stopped in the middle of it. */
export class StoppableEngine {
  private readonly engine: Engine;
  private session: Session | null = null;
  private isInterrupted = false;

  constructor(options: EngineOptions) {
    this.engine = new Engine(options);
  }

  run(sql: string): Promise<DuckDBValue[][]> {
    return this.engine.use(async (session) => {
      if (this.isInterrupted) throw new Error("INTERRUPT Error: the compactor is stopping");
      this.session = session;
      try {
        return await session.run(sql);
      } finally {
        this.session = null;
      }
    });
  }

  /** Ends what is running with an error, for good. */
  interrupt(): void {
    this.isInterrupted = true;
    this.session?.interrupt();
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}
