import { readFileSync } from "node:fs";

const LOOK_MS = 1;
/** Of the main thread: [time it ran, time it waited for a processor, …] in nanoseconds. */
const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;

/** Measures the longest time for which the loop of this process served nothing else. */
export class LoopProbe {
  /** By the clock, on a busy machine with waits for a processor. */
  longestMs = 0;
  /** By the processor: what the thread has worked meanwhile. */
  longestWorkMs = 0;
  private lastMs = 0;
  private lastWorkedMs = 0;
  private readonly timer = setInterval(() => this.look(), LOOK_MS);

  constructor() {
    this.reset();
  }

  /** Begins anew. */
  reset(): void {
    this.lastMs = performance.now();
    this.lastWorkedMs = workedMs();
    this.longestMs = 0;
    this.longestWorkMs = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const nowMs = performance.now();
    const worked = workedMs();
    this.longestMs = Math.max(this.longestMs, nowMs - this.lastMs - LOOK_MS);
    this.longestWorkMs = Math.max(this.longestWorkMs, worked - this.lastWorkedMs);
    this.lastMs = nowMs;
    this.lastWorkedMs = worked;
  }
}

function workedMs(): number {
  return Number(readFileSync(SCHEDULE, "latin1").split(" ")[0]) / 1e6;
}
