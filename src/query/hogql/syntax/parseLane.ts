import { join } from "node:path";
import { scriptOf } from "../../../scripts.ts";
import { FairQueue, RetryableError, TerminalError, type WeirError } from "../../../types/mod.ts";
import { HogqlError } from "../../shape/errors.ts";
import type { TextLimits } from "../../shape/textLimits.ts";
import type { ParseReply, ParseRequest } from "./parseWorker.ts";

/** Texts in work at once; each worker holds some 60 MB. */
const MAX_WORKERS = 2;
/** A parser's memory never shrinks: a worker ends after a text that took more. A parser begins with 17 MB. */
const MAX_HELD_BYTES = 64 * 1024 ** 2;
/** Texts waiting for a worker, and those of one project. */
const MAX_WAITING = 256;
const MAX_WAITING_OF_PROJECT = 64;

/** The project that asks for a text's tree, and how long it waits. */
export interface Asker {
  teamId: number;
  limits: { timeoutMs: number; text: TextLimits };
  signal?: AbortSignal;
  /** The end of the query's time, of `performance.now()`; `timeoutMs` from now where absent. */
  endsAtMs?: number;
}

interface LaneOptions {
  /** Each text gets a parser that has parsed nothing before. */
  isFresh: boolean;
  /** A worker without work ends after this long; null for never. */
  idleMs: number | null;
}

/** What a worker has made of a text. */
interface Parsed {
  tree: string;
  heldBytes: number;
}

interface Job {
  teamId: number;
  text: string;
  /** Longest parse. */
  parseMs: number;
  /** Ends it, once it is in work. */
  stop: ((reason: WeirError) => void) | null;
  resolve(tree: string): void;
  reject(error: Error): void;
}

/**
 * Workers and the texts that wait for them: first in, first out within a project, projects in turn, and a project has one
 * text in work at a time. So nobody's texts hold up another's. A worker is ended after a deadline, a throw, or a text that
 * took much memory.
 */
export class Lane {
  private readonly queue = new FairQueue<Job>();
  private idle: Promise<Worker> | null = null;
  private idleTimer: Timer | undefined;
  private busy = 0;
  private nextId = 0;

  constructor(private readonly options: LaneOptions) {}

  /** The tree as JSON text. Errors: HogqlError, RetryableError `queries_busy`, TerminalError `query_timeout`, `query_cancelled`. */
  async parse(text: string, { teamId, signal, limits, endsAtMs }: Asker): Promise<string> {
    if (signal?.aborted) throw cancelled();
    if (this.queue.length >= MAX_WAITING || this.queue.waitingOf(teamId) >= MAX_WAITING_OF_PROJECT) {
      throw new RetryableError("queries_busy", "Too many queries are waiting.");
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const job: Job = { teamId, text, parseMs: limits.text.parseMs, stop: null, resolve, reject };
    const leftMs = endsAtMs === undefined ? limits.timeoutMs : Math.max(0, endsAtMs - performance.now());
    const timer = setTimeout(() => this.end(job, late(job)), leftMs);
    const onAbort = () => this.end(job, cancelled());
    signal?.addEventListener("abort", onAbort, { once: true });
    this.queue.add(job);
    this.dispatch();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the worker that has no work. */
  stop(): void {
    const worker = this.takeIdle();
    if (worker !== null) void terminate(worker);
  }

  private takeIdle(): Promise<Worker> | null {
    clearTimeout(this.idleTimer);
    const worker = this.idle;
    this.idle = null;
    return worker;
  }

  private keepIdle(worker: Promise<Worker>): void {
    this.idle = worker;
    const { idleMs } = this.options;
    if (idleMs !== null) this.idleTimer = setTimeout(() => this.stop(), idleMs).unref();
  }

  private dispatch(): void {
    while (this.busy < MAX_WORKERS) {
      const job = this.queue.take(1);
      if (job === undefined) return;
      void this.run(job);
    }
  }

  private end(job: Job, reason: WeirError): void {
    if (this.queue.remove(job)) job.reject(reason);
    job.stop?.(reason);
  }

  private async run(job: Job): Promise<void> {
    this.busy++;
    const worker = this.takeIdle() ?? startWorker();
    let isSound = false;
    try {
      const { tree, heldBytes } = await this.ask(worker, job);
      job.resolve(tree);
      isSound = heldBytes <= MAX_HELD_BYTES;
    } catch (error) {
      job.reject(error as Error);
    } finally {
      if (isSound && this.idle === null) this.keepIdle(worker);
      else void terminate(worker);
      this.busy--;
      this.queue.done(job.teamId);
      this.dispatch();
    }
  }

  /** What the worker says of the text, at most for as long as a parse may take. */
  private async ask(starting: Promise<Worker>, job: Job): Promise<Parsed> {
    const { promise, resolve, reject } = Promise.withResolvers<Parsed>();
    promise.catch(() => {});
    job.stop = reject;
    const worker = await Promise.race([starting, promise.then(() => starting)]);
    const timer = setTimeout(() => reject(tooComplex()), job.parseMs);
    const id = this.nextId++;
    worker.onmessage = ({ data: reply }: MessageEvent<ParseReply>) => {
      if ("ready" in reply || reply.id !== id) return;
      if ("tree" in reply) resolve(reply);
      else reject(tooComplex());
    };
    worker.onerror = (event) => reject(new RetryableError("parser_died", event.message));
    worker.postMessage({ id, text: job.text, isFresh: this.options.isFresh } satisfies ParseRequest);
    return promise.finally(() => clearTimeout(timer));
  }
}

function terminate(worker: Promise<Worker>): Promise<void> {
  return worker.then(
    (started) => started.terminate(),
    () => {},
  );
}

function startWorker(): Promise<Worker> {
  const worker = new Worker(scriptOf(join(import.meta.dir, "parseWorker.ts")));
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => reject(new RetryableError("parser_died", event.message));
  });
}

function late(job: Job): WeirError {
  if (job.stop === null) return new RetryableError("queries_busy", "the query was not parsed in time");
  return new TerminalError("query_timeout", "the query did not end in time");
}

function cancelled(): WeirError {
  return new TerminalError("query_cancelled", "the query was cancelled");
}

function tooComplex(): HogqlError {
  return new HogqlError("The query is too complex to parse: make it shorter or nest it less.");
}
