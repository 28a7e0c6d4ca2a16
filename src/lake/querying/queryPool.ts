import { mkdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FairQueue, notePid, RetryableError, TerminalError, type WeirError } from "../../types/mod.ts";
import { type SegmentStore, spillDirectory } from "../storage/mod.ts";
import type { WalkLimits } from "../walking/mod.ts";
import type { Statement, StatementResult } from "./messages.ts";
import { type OnProgress, ProcessDied, QueryChild } from "./queryChild.ts";

interface QueryPoolOptions {
  storage: Pick<SegmentStore, "has">;
  /** Where the processes work and spill, and where `query-<n>.pid` has their ids. */
  runDirectory: string;
  /** At most, the reserve aside. */
  processes: number;
  /** DuckDB's limit for all processes together. */
  memoryBytes: number;
  /** For all processes together. */
  spillBytes: number;
  /** Queries that may wait for a process, and those of one project. */
  queueMax: number;
  projectQueueMax: number;
  threads: number;
  walks: WalkLimits;
  log(message: string): void;
}

interface PooledQuery {
  statement: Statement;
  /** From the start, waiting included. */
  deadlineMs: number;
  /** By the monotonic clock; now where absent. */
  startedAtMs?: number;
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

/** Memory of a process beside DuckDB's buffers: its code, the texts and lists of a statement, its result. */
const OVERHEAD_BYTES = 384 * 1024 ** 2;
/** An interrupted query that runs for longer is killed with its process. */
const INTERRUPT_GRACE_MS = 300;
const RESTART_FIRST_MS = 100;
const RESTART_LONGEST_MS = 5_000;
/** The reserve stays for so long after it was last needed. */
const RESERVE_IDLE_MS = 10_000;

/**
 * Warm query processes: the first from the beginning, each further one from when a query first has to wait for it. One that is killed,
 * by us or by others, is replaced. When all are busy and a project waits of which nothing runs, one more is started: the reserve, which
 * serves only such. So no project holds up all others.
 */
export class QueryPool {
  private readonly queue = new FairQueue<Job>();
  private readonly children = new Set<QueryChild>();
  /** Of the children, those that will take a statement as soon as they are ready. */
  private readonly starting = new Set<QueryChild>();
  /** The processes that have been started, or are started again after a pause: each has a slot. */
  private slots = 0;
  private readonly idle: QueryChild[] = [];
  private readonly running = new Set<Job>();
  private reserve: QueryChild | null = null;
  private reserveTimer: Timer | undefined;
  private isClosed = false;
  private restartPauseMs = 0;

  constructor(private readonly options: QueryPoolOptions) {
    mkdirSync(options.runDirectory, { recursive: true });
    this.startChild(this.slots++);
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
    this.checkRoom(query.statement.teamId);
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const { statement, onProgress = () => {} } = query;
    const { teamId } = statement;
    const state = { stopped: null, child: null, hasBeenRetried: false };
    const job: Job = { teamId, statement, onProgress, ...state, resolve, reject };
    const { deadlineMs, startedAtMs = performance.now() } = query;
    const leftMs = deadlineMs - (performance.now() - startedAtMs);
    const timer = setTimeout(() => this.stop(job, late(job, deadlineMs)), leftMs);
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
    clearTimeout(this.reserveTimer);
    for (const job of this.queue.clear()) job.reject(closed());
    for (const job of this.running) this.endWith(job, closed());
    const children = [...this.children];
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.tidied));
  }

  private checkRoom(teamId: number): void {
    if (this.idle.length > 0) return;
    const { queueMax, projectQueueMax } = this.options;
    if (this.queue.length >= queueMax) throw new RetryableError("queries_busy", "too many queries are waiting");
    if (this.queue.waitingOf(teamId) >= projectQueueMax) {
      throw new RetryableError("queries_busy", "too many queries of the project are waiting");
    }
  }

  private dispatch(): void {
    for (;;) {
      const general = this.idle.some((child) => child !== this.reserve);
      const job = general ? this.queue.take() : this.idle.length > 0 ? this.queue.take(1) : undefined;
      if (job === undefined) break;
      void this.runOn(this.takeChild(job), job);
    }
    while (this.queue.length > this.starting.size && this.slots < this.options.processes) this.startChild(this.slots++);
    if (this.reserve === null && this.running.size >= this.options.processes && this.queue.hasStarved) {
      this.startChild(this.options.processes);
    }
  }

  /** The process of the project's last query knows its files; the reserve is taken when there is no other. */
  private takeChild({ teamId }: Job): QueryChild {
    const general = this.idle.filter((child) => child !== this.reserve);
    const child = general.find(({ lastTeamId }) => lastTeamId === teamId) ?? general[0] ?? this.reserve!;
    this.idle.splice(this.idle.indexOf(child), 1);
    if (child === this.reserve) clearTimeout(this.reserveTimer);
    return child;
  }

  /** Where a process that can take a statement waits for one. */
  private rest(child: QueryChild): void {
    this.idle.push(child);
    if (child !== this.reserve) return;
    clearTimeout(this.reserveTimer);
    this.reserveTimer = setTimeout(() => {
      this.idle.splice(this.idle.indexOf(child), 1);
      child.kill();
    }, RESERVE_IDLE_MS);
  }

  private async runOn(child: QueryChild, job: Job): Promise<void> {
    job.child = child;
    this.running.add(job);
    try {
      job.resolve(await child.run(job.statement, job.onProgress));
    } catch (error) {
      if (job.stopped === null) await this.fail(job, error as Error);
    } finally {
      if (job.stopped !== null) await this.forgetRows(job);
      job.child = null;
      this.running.delete(job);
      this.queue.done(job.teamId);
      if (!child.isOver) this.rest(child);
      this.dispatch();
    }
  }

  /** Removes rows of a query that was stopped. */
  private async forgetRows({ statement: { longPath } }: Job): Promise<void> {
    if (longPath !== null) await rm(longPath, { force: true }).catch(() => {});
  }

  private async fail(job: Job, error: Error): Promise<void> {
    if (error instanceof ProcessDied && !job.hasBeenRetried) {
      this.retry(job);
      return;
    }
    // DuckDB has several messages for it; the answer of the store is certain, where it has one.
    if (!(error instanceof ProcessDied) && !(await this.hasAll(job.statement.files).catch(() => true))) {
      job.reject(new RetryableError("segment_missing", "a file of the snapshot is gone"));
      return;
    }
    this.report(job, error);
    job.reject(error);
  }

  private async hasAll(locations: readonly string[]): Promise<boolean> {
    const are = await Promise.all(locations.map((location) => this.options.storage.has(location)));
    return are.every((is) => is);
  }

  /** Logs errors that are not the user's, with DuckDB's message about the file. */
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

  /** The caller has the answer at once; the process ends the statement, or is killed, afterwards. */
  private stop(job: Job, reason: WeirError): void {
    if (job.stopped !== null) return;
    this.endWith(job, reason);
    this.queue.remove(job);
    const { child } = job;
    if (child === null) return;
    child.interrupt();
    setTimeout(() => {
      if (job.child === child) child.kill();
    }, INTERRUPT_GRACE_MS);
  }

  private endWith(job: Job, reason: WeirError): void {
    job.stopped = reason;
    job.reject(reason);
  }

  private startChild(slot: number): void {
    const { runDirectory, processes, memoryBytes, spillBytes, threads, walks } = this.options;
    const shares = processes + 1;
    const memoryLimitBytes = Math.floor(memoryBytes / shares);
    const child = new QueryChild({
      workDirectory: runDirectory,
      threads,
      walks,
      memoryLimitBytes,
      processLimitBytes: memoryLimitBytes + OVERHEAD_BYTES,
      spillDirectory: spillDirectory(runDirectory),
      spillLimitBytes: Math.floor(spillBytes / shares),
    });
    this.children.add(child);
    this.starting.add(child);
    if (slot === processes) this.reserve = child;
    notePid(this.pidFile(slot), child.pid, this.options.log);
    child.ready.then(
      () => {
        this.restartPauseMs = 0;
        this.starting.delete(child);
        this.rest(child);
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
    this.starting.delete(child);
    const at = this.idle.indexOf(child);
    if (at !== -1) this.idle.splice(at, 1);
    if (child === this.reserve) clearTimeout(this.reserveTimer);
    if (this.isClosed) return;
    const pauseMs = this.restartPauseMs;
    this.restartPauseMs = Math.min(Math.max(pauseMs * 2, RESTART_FIRST_MS), RESTART_LONGEST_MS);
    setTimeout(() => {
      if (this.isClosed) return;
      if (child !== this.reserve) return this.startChild(slot);
      this.reserve = null;
      this.dispatch();
    }, pauseMs);
  }

  private pidFile(slot: number): string {
    return join(this.options.runDirectory, `query-${slot}.pid`);
  }
}

function late(job: Job, deadlineMs: number): WeirError {
  if (job.child === null)
    return new RetryableError("queries_busy", `no query process was free within ${deadlineMs} ms`);
  return timedOut(deadlineMs);
}

export function timedOut(deadlineMs: number): WeirError {
  return new TerminalError("query_timeout", `the query did not end within ${deadlineMs} ms`);
}

export function cancelled(): WeirError {
  return new TerminalError("query_cancelled", "the query was cancelled");
}

function closed(): WeirError {
  return new RetryableError("query_process_died", "queries are being shut down");
}
