import { join } from "node:path";
import { scriptOf } from "../../scripts.ts";
import { RetryableError, TerminalError } from "../../types/mod.ts";
import type { JobReply, JobRequest } from "./asideThread.ts";
import type { JobInput, JobName, JobOutput } from "./jobs.ts";
import { carried, received } from "./threadData.ts";

/** The thread ends when it has had nothing to do for so long, and gives its memory back. */
const IDLE_MS = 10_000;
/** No job takes so long; one that does is given up with its thread. */
const JOB_MAX_MS = 30_000;

interface Job {
  request: JobRequest;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

/**
 * Does long work in a thread of its own, one job at a time, so that the loop is free meanwhile. Owners of jobs take turns, so
 * that many jobs of one owner do not delay another's. The thread ends when it is idle.
 */
export class Aside {
  private thread: Worker | null = null;
  private running: Job | null = null;
  /** By owner, in the order of their turns. */
  private readonly waiting = new Map<string, Job[]>();
  private timer: Timer | undefined;

  /**
   * The job's output. `owner` names the project or the address that the work is for. Large arrays of the input are handed over: the
   * caller must not use them any more. Throws the job's TerminalErrors, and RetryableError `too_much_work` when it takes too long.
   */
  run<N extends JobName>(owner: string, name: N, input: JobInput<N>): Promise<JobOutput<N>> {
    return new Promise<JobOutput<N>>((resolve, reject) => {
      const job: Job = { request: { name, input }, resolve, reject };
      this.waiting.getOrInsertComputed(owner, () => []).push(job);
      this.next();
    });
  }

  private next(): void {
    if (this.running !== null) return;
    clearTimeout(this.timer);
    const [turn] = this.waiting;
    if (turn === undefined) {
      this.timer = setTimeout(() => this.end(), IDLE_MS);
      this.timer.unref();
      return;
    }
    const [owner, jobs] = turn;
    this.running = jobs.shift()!;
    this.waiting.delete(owner);
    if (jobs.length > 0) this.waiting.set(owner, jobs);
    this.timer = setTimeout(() => this.giveUp("it took too long"), JOB_MAX_MS);
    this.thread ??= this.start();
    const { request } = this.running;
    this.thread.postMessage(request, carried(request.input));
  }

  private start(): Worker {
    const thread = new Worker(scriptOf(join(import.meta.dir, "asideThread.ts")));
    thread.unref();
    thread.onmessage = (message: MessageEvent<JobReply>) => this.settle(message.data);
    thread.onerror = (event) => {
      if (this.thread === thread) this.giveUp(event.message);
    };
    return thread;
  }

  private settle(reply: JobReply): void {
    const job = this.running;
    this.running = null;
    if (job === null) return;
    if ("output" in reply) job.resolve(received(reply.output));
    else job.reject(reply.code === null ? new Error(reply.message) : new TerminalError(reply.code, reply.message));
    this.next();
  }

  private giveUp(reason: string): void {
    this.end();
    const job = this.running;
    this.running = null;
    job?.reject(new RetryableError("too_much_work", `the body could not be worked on: ${reason}`));
    this.next();
  }

  private end(): void {
    this.thread?.terminate();
    this.thread = null;
  }
}
