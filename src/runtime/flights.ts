/** Flushes under way at the same time, over partitions that no two of them share. */
export class Flights {
  private readonly flying = new Map<Promise<void>, ReadonlySet<number>>();
  private readonly failures: unknown[] = [];

  constructor(private readonly max: number) {}

  get isFull(): boolean {
    return this.flying.size >= this.max;
  }

  /** Whether a flush of the partition is under way. */
  isBusy(partition: number): boolean {
    return this.flying.values().some((partitions) => partitions.has(partition));
  }

  /** The error of a flush is kept for `takeFailure`. */
  start(partitions: ReadonlySet<number>, flush: () => Promise<void>): void {
    const flight = flush()
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => this.flying.delete(flight));
    this.flying.set(flight, partitions);
  }

  /** The error of the first flush that failed, once. */
  takeFailure(): { error: unknown } | null {
    return this.failures.length === 0 ? null : { error: this.failures.shift() };
  }

  /** Until one has ended, well or not; never resolves when there is none. */
  async one(): Promise<void> {
    await Promise.race(this.flying.keys());
  }

  /** Until all have ended, well or not. */
  async all(): Promise<void> {
    while (this.flying.size > 0) await Promise.all(this.flying.keys());
  }
}
