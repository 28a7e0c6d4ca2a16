import { join } from "node:path";
import { scriptOf } from "../../scripts.ts";
import type { FoundColumn } from "../../walk/mod.ts";
import { FileUnreadable } from "./fileUnreadable.ts";
import type { Ranges } from "./ranges.ts";
import { WALK_LIMITS, type WalkLimits } from "./walkLimits.ts";
import type { Finished, FromThread, ToThread, WalkTask } from "./walkTask.ts";

/** A thread ended by itself: what it had of a walk is lost. */
export class WalkThreadDied extends Error {}

/** Told of the columns of what a thread has found. */
type TakeFound = (rowCount: number, columns: FoundColumn["values"][]) => void;

const SCRIPT = scriptOf(join(import.meta.dir, "walkThread.ts"));
/** Each holds memory, and its share of a walk becomes small. */
const MOST_OTHERS = 3;

/** Threads beside that of DuckDB's client, which take part in walks. They are started for the first walk that is large enough, and stay. */
export class WalkThreads {
  /** Walks have one thread. */
  static readonly NONE = new WalkThreads(1, WALK_LIMITS);
  private threads: WalkThread[] = [];
  private lastId = 0;

  /** `count`: with that of DuckDB's client. */
  constructor(
    private readonly count: number,
    readonly limits: WalkLimits,
    private readonly script = SCRIPT,
  ) {}

  /** Starts threads for a walk over so many rows, where they are worth it. Answers how many there are. */
  startFor(rows: number): number {
    const most = Math.min(this.count - 1, MOST_OTHERS);
    if (most < 1 || rows < this.limits.leastRows) return 0;
    this.threads = this.threads.filter(({ isDead }) => !isDead);
    while (this.threads.length < most) this.threads.push(new WalkThread(this.script));
    return most;
  }

  /** Has all that were started take ranges of a walk. */
  join(task: WalkTask, ranges: Ranges, take: TakeFound): JoinedThreads {
    const id = ++this.lastId;
    const jobs = this.threads.map((each, thread) => each.begin({ id, thread, task }, take));
    return new JoinedThreads(jobs, ranges);
  }

  close(): void {
    for (const thread of this.threads.splice(0)) thread.end();
  }
}

/** Threads that take part in one walk. */
export class JoinedThreads {
  constructor(
    private readonly jobs: readonly Promise<Finished>[],
    private readonly ranges: Ranges,
  ) {
    // No range needs to be walked when one has failed. A thread that ends before it takes part is none of this walk.
    for (const [thread, job] of jobs.entries()) {
      job.catch(() => {
        if (ranges.hasJoined(thread)) ranges.stop();
      });
    }
  }

  /**
   * Waits for those that have taken ranges, once there are no more; a thread that still starts is not waited for. Errors: FileUnreadable;
   * WalkThreadDied; the walker's own.
   */
  async finish(): Promise<Finished[]> {
    return Promise.all(this.jobs.filter((_, thread) => this.ranges.hasJoined(thread)));
  }
}

interface Job {
  id: number;
  take: TakeFound;
  done: PromiseWithResolvers<Finished>;
}

class WalkThread {
  isDead = false;
  private readonly worker: Worker;
  /** That begun last. */
  private job: Job | null = null;

  constructor(script: string) {
    this.worker = new Worker(script);
    this.worker.unref();
    this.worker.onmessage = ({ data }: MessageEvent<FromThread>) => this.hear(data);
    this.worker.onerror = ({ message }) => this.die(message);
    this.worker.addEventListener("close", () => this.die("it ended"));
  }

  begin(message: ToThread, take: TakeFound): Promise<Finished> {
    const done = Promise.withResolvers<Finished>();
    this.job = { id: message.id, take, done };
    if (this.isDead) done.reject(new WalkThreadDied("a thread of walks ended before"));
    else this.worker.postMessage(message);
    return done.promise;
  }

  end(): void {
    void this.worker.terminate();
  }

  /** What it says of a walk that nobody waits for any more is nothing to us. */
  private hear(message: FromThread): void {
    const { job } = this;
    if (job?.id !== message.id) return;
    if (message.kind === "found") job.take(message.rowCount, message.columns);
    else if (message.kind === "done") job.done.resolve(message.finished);
    else job.done.reject(errorOf(message));
  }

  private die(reason: string): void {
    this.isDead = true;
    this.job?.done.reject(new WalkThreadDied(`a thread of walks ended: ${reason}`));
  }
}

const errorOf = ({ message, location }: Extract<FromThread, { kind: "failed" }>): Error =>
  location === null ? new Error(message) : new FileUnreadable(location, new Error(message));
