/** So many requests within so long. */
export interface Rule {
  requests: number;
  withinMs: number;
}

/** How long a request has to wait, after requests at these times (sorted, milliseconds), so that no rule is broken. */
export function waitMs(rules: readonly Rule[], madeAtMs: readonly number[], nowMs: number): number {
  const waits = rules.map(({ requests, withinMs }) => {
    const oldest = madeAtMs[madeAtMs.length - requests];
    return oldest === undefined ? 0 : oldest + withinMs - nowMs;
  });
  return Math.max(0, ...waits);
}

/** Keeps the requests of one import within the rules of an API. */
export class RequestLimit {
  private readonly madeAtMs: number[] = [];

  constructor(private readonly rules: readonly Rule[]) {}

  /** Resolves when a request may be made, by `pause`; it counts as made then. */
  async take(pause: (ms: number) => Promise<void>): Promise<void> {
    for (;;) {
      const wait = waitMs(this.rules, this.madeAtMs, performance.now());
      if (wait === 0) break;
      await pause(wait);
    }
    this.madeAtMs.push(performance.now());
    if (this.madeAtMs.length > 10_000) this.madeAtMs.splice(0, 5_000);
  }
}
