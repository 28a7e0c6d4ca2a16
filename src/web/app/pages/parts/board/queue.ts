/** Runs a few jobs at a time, in the order in which they came. */
export class Queue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  /** What the job gives. One whose signal ended while it waited does not begin: throws the signal's reason. */
  async run<T>(job: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.running >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      signal.throwIfAborted();
      return await job();
    } finally {
      const next = this.waiting.shift();
      // The next one takes its place.
      if (next === undefined) this.running--;
      else next();
    }
  }
}
