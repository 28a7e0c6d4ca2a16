import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RetryableError, TerminalError, type WeirError } from "../../types/mod.ts";
import { spillDirectory } from "../files.ts";
import { FairQueue } from "./fairQueue.ts";
import type { Statement, StatementResult } from "./messages.ts";
import { type OnProgress, ProcessDied, QueryChild } from "./queryChild.ts";

export interface QueryPoolOptions {
  /** The lake's folder. */
  directory: string;
  /** Where the processes spill, and where their ids stand in `query-<n>.pid`. */
  runDirectory: string;
  processes: number;
  /** DuckDB's limit for all processes together. */
  memoryBytes: number;
  /** Queries that may wait for a process. */
  queueMax: number;
  log(message: string): void;
}

export interface PooledQuery {
  statement: Statement;
  /** From now, waiting included. */
  deadlineMs: number;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

interface Job {
  teamId: number;
  statement: Statement;
  onProgress: OnProgress;
  /** Why it must end, once it must. */
  stopped: WeirError | null;
  child: QueryChild | null;
  hasBeenRetried: boolean;
  resolve(result: StatementResult): void;
  reject(error: Error): void;
}

const SPILL_LIMIT_BYTES = 16 * 1024 ** 3;
/** An interrupted query that has not ended by then is killed with its process. */
const INTERRUPT_GRACE_MS = 300;
const RESTART_FIRST_MS = 100;
const RESTART_LONGEST_MS = 5_000;

/** Warm query processes. One that is killed, by us or by others, is replaced. */
export class QueryPool {
  private readonly queue = new FairQueue<Job>();
  private readonly children = new Set<QueryChild>();
  private readonly idle: QueryChild[] = [];
  private readonly running = new Set<Job>();
  private isClosed = false;
  private restartPauseMs = 0;

  constructor(private readonly options: QueryPoolOptions) {
    mkdirSync(options.runDirectory, { recursive: true });
    for (let slot = 0; slot < options.processes; slot++) this.startChild(slot);
  }

  /** Process ids, for supervision and tests. */
  get pids(): number[] {
    return [...this.children].map((child) => child.pid);
  }

  /**
   * Runs a statement. Errors: RetryableError `queries_busy` (the queue is full, or no process was free before the
   * deadline), `query_process_died`, `segment_missing`, `query_io_failed`; TerminalError `query_timeout`, `query_cancelled`,
   * `query_memory`, `result_too_large`, `query_failed`, `segment_unreadable`, `query_engine_failed`.
   */
  async run(query: PooledQuery): Promise<StatementResult> {
    if (this.isClosed) throw closed();
    if (query.signal?.aborted) throw cancelled();
    if (this.idle.length === 0 && this.queue.length >= this.options.queueMax) {
      throw new RetryableError("queries_busy", "too many queries are waiting");
    }
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const { statement, onProgress = () => {} } = query;
    const { teamId } = statement;
    const state = { stopped: null, child: null, hasBeenRetried: false };
    const job: Job = { teamId, statement, onProgress, ...state, resolve, reject };
    const timer = setTimeout(() => this.stop(job, late(job, query.deadlineMs)), query.deadlineMs);
    const onAbort = () => this.stop(job, cancelled());
    query.signal?.addEventListener("abort", onAbort, { once: true });
    this.queue.add(job);
    this.dispatch();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      query.signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends everything at once. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const job of this.queue.clear()) job.reject(closed());
    for (const job of this.running) job.stopped ??= closed();
    for (const child of this.children) child.kill();
    await Promise.all([...this.children].map((child) => child.exited));
  }

  private dispatch(): void {
    while (this.idle.length > 0) {
      const job = this.queue.take();
      if (job === undefined) return;
      void this.runOn(this.takeChild(job), job);
    }
  }

  /** Who answered the project last knows its files. */
  private takeChild({ teamId }: Job): QueryChild {
    const at = this.idle.findIndex((child) => child.lastTeamId === teamId);
    return this.idle.splice(Math.max(at, 0), 1)[0]!;
  }

  private async runOn(child: QueryChild, job: Job): Promise<void> {
    job.child = child;
    this.running.add(job);
    try {
      const result = await child.run(job.statement, job.onProgress);
      // A result that came while it was being stopped is still the result.
      job.resolve(result);
    } catch (error) {
      if (job.stopped !== null) job.reject(job.stopped);
      else if (error instanceof ProcessDied && !job.hasBeenRetried) this.retry(job);
      else {
        this.report(job, error as Error);
        job.reject(error as Error);
      }
    } finally {
      job.child = null;
      this.running.delete(job);
      this.queue.done(job.teamId);
      if (!child.isOver) this.idle.push(child);
      this.dispatch();
    }
  }

  /** What is not the asker's fault is told here, with what DuckDB says of the file. */
  private report({ teamId }: Job, error: Error): void {
    if (typeof error.cause !== "string") return;
    const { code } = error as WeirError;
    this.options.log(`${code}: a query of project ${teamId} failed: ${error.cause.replaceAll(/\s+/g, " ")}`);
  }

  private retry(job: Job): void {
    this.options.log("a query process died under a query; running it again");
    job.hasBeenRetried = true;
    this.queue.add(job);
  }

  private stop(job: Job, reason: WeirError): void {
    if (job.stopped !== null) return;
    job.stopped = reason;
    if (this.queue.remove(job)) job.reject(reason);
    const { child } = job;
    if (child === null) return;
    child.interrupt();
    setTimeout(() => {
      if (job.child === child) child.kill();
    }, INTERRUPT_GRACE_MS);
  }

  private startChild(slot: number): void {
    const { directory, runDirectory, processes, memoryBytes } = this.options;
    const child = new QueryChild({
      directory,
      threads: navigator.hardwareConcurrency,
      memoryLimitBytes: Math.floor(memoryBytes / processes),
      spillDirectory: spillDirectory(runDirectory),
      spillLimitBytes: SPILL_LIMIT_BYTES,
    });
    this.children.add(child);
    writeFileSync(this.pidFile(slot), String(child.pid));
    child.ready.then(
      () => {
        this.restartPauseMs = 0;
        this.idle.push(child);
        this.dispatch();
      },
      () => {},
    );
    void child.exited.then(() => this.replace(child, slot));
  }

  /** Processes that die before they are ready are started again ever more slowly. */
  private replace(child: QueryChild, slot: number): void {
    rmSync(this.pidFile(slot), { force: true });
    this.children.delete(child);
    const at = this.idle.indexOf(child);
    if (at !== -1) this.idle.splice(at, 1);
    if (this.isClosed) return;
    const pauseMs = this.restartPauseMs;
    this.restartPauseMs = Math.min(Math.max(pauseMs * 2, RESTART_FIRST_MS), RESTART_LONGEST_MS);
    setTimeout(() => {
      if (!this.isClosed) this.startChild(slot);
    }, pauseMs);
  }

  private pidFile(slot: number): string {
    return join(this.options.runDirectory, `query-${slot}.pid`);
  }
}

function late(job: Job, deadlineMs: number): WeirError {
  if (job.child === null)
    return new RetryableError("queries_busy", `no query process was free within ${deadlineMs} ms`);
  return new TerminalError("query_timeout", `the query did not end within ${deadlineMs} ms`);
}

function cancelled(): WeirError {
  return new TerminalError("query_cancelled", "the query was cancelled");
}

function closed(): WeirError {
  return new RetryableError("query_process_died", "queries are being shut down");
}
