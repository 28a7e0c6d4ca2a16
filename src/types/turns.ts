/** So long may the work of requests hold the loop before what else has come in is served. */
const STRETCH_MS = 3;

/**
 * Turns of one loop, for work that a caller can make long. Requests that have more to do than fits in a stretch go on one
 * after the other, a stretch each, and between two stretches the loop serves what has come in.
 */
export class Turns {
  private startedAtMs = 0;
  private isRunning = false;
  private readonly waiting: (() => void)[] = [];

  /** Whether the stretch is used up: then the caller must `await next()` before it goes on. */
  get isOver(): boolean {
    const nowMs = performance.now();
    if (this.isRunning) return this.waiting.length > 0 || nowMs - this.startedAtMs > STRETCH_MS;
    this.startedAtMs = nowMs;
    this.isRunning = true;
    setImmediate(this.begin);
    return false;
  }

  /** Resolves when the caller may go on. */
  next(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** All callbacks that stand at one time run without a look at the network between them: so there is only ever one. */
  private readonly begin = async (): Promise<void> => {
    this.startedAtMs = performance.now();
    do {
      const resolve = this.waiting.shift();
      this.isRunning = resolve !== undefined;
      if (resolve === undefined) return;
      resolve();
      await null; // the one that waited works now, until it waits for something else
    } while (performance.now() - this.startedAtMs < STRETCH_MS);
    setImmediate(this.begin);
  };
}
