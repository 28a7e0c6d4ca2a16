/** How much one distinct_id may send before its live events go to the overflow lane. */
export interface OverflowLimits {
  /** Events a second, for as long as it likes; 0 switches the limit off. */
  overflowRate: number;
  /** Events at once, after a time of silence. */
  overflowBurst: number;
  /** Ids remembered at once. */
  overflowIdsMax: number;
}

/**
 * A token bucket for each (project, distinct_id). Of a bucket it keeps only when it will be full again: what is full
 * needs no memory. Ids are kept as 53-bit hashes, because a piece of a body's text would keep the body.
 */
export class OverflowBuckets {
  private readonly msPerEvent: number;
  private readonly fillMs: number;
  /** When the bucket of an id will be full. Whatever was not touched for `fillMs` is: two maps in turn forget it. */
  private young = new Map<number, number>();
  private old = new Map<number, number>();
  private turnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly limits: OverflowLimits) {
    this.msPerEvent = 1000 / limits.overflowRate;
    this.fillMs = this.msPerEvent * limits.overflowBurst;
  }

  /** Takes a token for one event; false when there is none. `nowMs` never goes back. */
  take(teamId: number, distinctId: string, nowMs: number): boolean {
    if (this.limits.overflowRate === 0) return true;
    this.forget(nowMs);
    const id = idOf(teamId, distinctId);
    const fullAtMs = Math.max(this.young.get(id) ?? this.old.get(id) ?? nowMs, nowMs) + this.msPerEvent;
    if (fullAtMs - nowMs > this.fillMs) return false;
    this.young.set(id, fullAtMs);
    return true;
  }

  /** When there are too many ids, the oldest are forgiven. */
  private forget(nowMs: number): void {
    if (nowMs - this.turnedAtMs < this.fillMs && this.young.size * 2 < this.limits.overflowIdsMax) return;
    this.old = this.young;
    this.young = new Map();
    this.turnedAtMs = nowMs;
  }
}

/** Two FNV-1a hashes side by side, as one integer below 2^53. */
function idOf(teamId: number, distinctId: string): number {
  let a = Math.imul(0x811c9dc5 ^ teamId, 0x01000193);
  let b = Math.imul(0x9dc5811c ^ teamId, 0x85ebca6b);
  for (let i = 0; i < distinctId.length; i++) {
    const unit = distinctId.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return ((a ^ (a >>> 16)) >>> 0) * 0x200000 + ((b ^ (b >>> 13)) >>> 11);
}
