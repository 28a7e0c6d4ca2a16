import { throttled } from "../http/slidingLog.ts";

/** What a client is asked to wait where too many wait already. */
const WAIT_MS = 2_000;

/** Lets only so many works run at once; others wait in order. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: { atOnce: number; waiting: number }) {}

  /** Runs a work when its turn comes. Throws ApiError 429 where too many wait. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }

  private async turn(): Promise<void> {
    if (this.running < this.most.atOnce) {
      this.running++;
      return;
    }
    if (this.waiting.length >= this.most.waiting) throw throttled(WAIT_MS);
    // A work that ends hands its turn over.
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
