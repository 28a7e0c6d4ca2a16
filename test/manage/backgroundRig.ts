import type { Config } from "../../src/config.ts";
import { openQueries, QUERY_QUEUE, type Queries, REMOTE_SERVICE, takeBackgroundQueries } from "../../src/manage/mod.ts";
import type { QueryContext, runQuery } from "../../src/query/mod.ts";
import type { WorkQueue } from "../../src/stream/mod.ts";
import { TerminalError } from "../../src/types/mod.ts";
import { type RunningBroker, startTestBroker } from "../support/broker.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

export interface Status {
  query_status: {
    id: string;
    complete: boolean;
    error: boolean;
    error_message: string | null;
    results: { results: unknown } | null;
    pickup_time: string | null;
    end_time: string | null;
    task_id: string;
    query_progress: object | null;
  };
}

export const QUERY_PATH = "/api/environments/1/query/";
export const QUEUE = { ...QUERY_QUEUE, ackWaitMs: 1_000, log: () => {} };

/** A management API whose calculations a test holds in its hand, and a broker for its background queries. */
export class BackgroundRig {
  /** Calculations so far. */
  begun = 0;
  aborted = 0;
  /** How calculations end. */
  calculate: (signal: AbortSignal, context: QueryContext) => Promise<unknown[]> = async () => [[this.begun]];
  private asked = 0;

  private constructor(
    readonly broker: RunningBroker,
    readonly queue: WorkQueue,
    readonly server: ManageServer,
  ) {
    server.answerQueries(async (_node, context) => {
      this.begun++;
      context.signal?.addEventListener("abort", () => this.aborted++);
      return { results: await this.calculate(context.signal!, context), hasMore: false };
    });
  }

  static async start(settings: Partial<Config> = {}): Promise<BackgroundRig> {
    const broker = await startTestBroker();
    const queue = broker.bus.workQueue(QUEUE);
    return new BackgroundRig(broker, queue, await startManage(settings, queue, broker.bus.asker(REMOTE_SERVICE)));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.broker.stop();
  }

  /** For the next test. */
  reset(): void {
    this.begun = 0;
    this.aborted = 0;
    this.calculate = async () => [[this.begun]];
  }

  /** A calculation that ends only when it is told to. */
  hang(): void {
    this.calculate = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new TerminalError("query_cancelled", "the query was cancelled")));
      });
  }

  /** What no other query of a test has. */
  fresh(): number {
    return ++this.asked;
  }

  /** A query that nothing else asks. */
  sql() {
    return { kind: "HogQLQuery", query: `select count() + ${this.fresh()} from events` };
  }

  ask(body: object) {
    return this.server.send("POST", QUERY_PATH, { body });
  }

  async poll(id: string) {
    const reply = await this.server.send("GET", `${QUERY_PATH}${id}/`);
    return { status: reply.status, ...(reply.json as Status).query_status };
  }

  /** Another process on the same record store and broker: what answers queries there. */
  otherProcess(run: typeof runQuery = (node, context) => this.server.runQuery(node, context)): Queries {
    const { config, db, now, log } = this.server.deps;
    const lake = { query: () => Promise.reject(new Error("no lake in this test")), close: async () => {} };
    return openQueries({ config, db, now, log, lake, runQuery: run, queue: this.queue });
  }

  /** Takes background queries until `body` has ended; without a reserve one after the other, whatever waits. */
  async working<T>(
    body: () => Promise<T>,
    { jobs }: Queries = this.server.deps.queries,
    { hasReserve = true } = {},
  ): Promise<T> {
    const taking = hasReserve ? jobs : { run: jobs.run.bind(jobs), hasStarved: async () => false };
    const stop = takeBackgroundQueries(this.queue, taking, 1);
    try {
      return await body();
    } finally {
      await stop();
    }
  }
}
