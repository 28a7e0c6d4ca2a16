import type { LiveSegment } from "../catalog/mod.ts";

/** Whether large flushes come in one after the other, as they do while an import runs. */
export class Inflow {
  /** The newest of them: the version of the catalog that it is live from. */
  private newest = 0;
  private arrivedAtMs = Number.NEGATIVE_INFINITY;

  /** `largeBytes`: from here on a flush is large; `arrivingMs`: for so long after one more are taken to come. */
  constructor(
    private readonly largeBytes: number,
    private readonly arrivingMs: number,
  ) {}

  /** Given the live segments of events. */
  look(live: readonly LiveSegment[], nowMs: number): boolean {
    for (const { level, sizeBytes, liveFrom } of live) {
      if (level > 0 || sizeBytes < this.largeBytes || liveFrom <= this.newest) continue;
      this.newest = liveFrom;
      this.arrivedAtMs = nowMs;
    }
    return nowMs - this.arrivedAtMs < this.arrivingMs;
  }
}
