import type { LiveSegment } from "../catalog/mod.ts";

/** Jobs of others that a kind of work waits for at most. */
const PATIENCE = 8;

/** Kinds of work in the order of their urgency, but so that each of them gets its turn. */
export class Turns<Kind extends string> {
  private readonly waited: Map<Kind, number>;

  /** The most urgent first. */
  constructor(kinds: readonly Kind[]) {
    this.waited = new Map(kinds.map((kind) => [kind, 0]));
  }

  /** The order in which to look for work now: first the kinds that have waited long enough. */
  order(): Kind[] {
    const kinds = [...this.waited.keys()];
    const isLong = (kind: Kind) => (this.waited.get(kind) ?? 0) >= PATIENCE;
    return [...kinds.filter(isLong), ...kinds.filter((kind) => !isLong(kind))];
  }

  /** Nothing is to be done of this kind. */
  idle(kind: Kind): void {
    this.waited.set(kind, 0);
  }

  /** A job of this kind is done next. */
  took(kind: Kind): void {
    for (const [other, jobs] of this.waited) this.waited.set(other, other === kind ? 0 : jobs + 1);
  }
}

/** Detects large flushes that come in one after the other, as they do while an import runs. */
export class Inflow {
  /** The newest of them: the version of the catalog that it is live from. */
  private newest = 0;
  private arrivedAtMs = Number.NEGATIVE_INFINITY;

  /** `largeBytes`: from here on a flush is large; `arrivingMs`: for so long after one more are taken to come. */
  constructor(
    private readonly largeBytes: number,
    private readonly arrivingMs: number,
  ) {}

  /** Given the live segments of events. `nowMs`: of a clock that is never set. */
  look(live: readonly LiveSegment[], nowMs: number): boolean {
    for (const { level, sizeBytes, liveFrom } of live) {
      if (level > 0 || sizeBytes < this.largeBytes || liveFrom <= this.newest) continue;
      this.newest = liveFrom;
      this.arrivedAtMs = nowMs;
    }
    return nowMs - this.arrivedAtMs < this.arrivingMs;
  }
}

const MINUTE_MS = 60_000;

/** An average number of bytes a minute: after bytes are spent, the next ones wait. Times are of a clock that is never set. */
export class IoBudget {
  private freeAtMs = 0;

  /** 0: nothing may be spent. */
  constructor(private readonly bytesPerMinute: number) {}

  isFree(nowMs: number): boolean {
    return this.bytesPerMinute > 0 && nowMs >= this.freeAtMs;
  }

  spend(bytes: number, nowMs: number): void {
    this.freeAtMs = Math.max(this.freeAtMs, nowMs) + (bytes / this.bytesPerMinute) * MINUTE_MS;
  }
}
