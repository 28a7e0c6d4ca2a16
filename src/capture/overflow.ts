/** How much one distinct_id may send before its live events go to the overflow lane. */
export interface OverflowLimits {
  /** Events a second, for as long as it likes; 0 switches the limit off. */
  overflowRate: number;
  /** Events at once, after a time of silence. */
  overflowBurst: number;
  /** Ids remembered at once, about. */
  overflowIdsMax: number;
}

/** A set is one line of the processor's cache: four times [id, when its bucket will be full]. */
const SET_IDS = 4;
const SLOT = 2;

/**
 * A token bucket for each (project, distinct_id). Of a bucket it keeps only when it will be full again: what is full needs
 * no memory, so that few ids are held however many send. Ids are 53-bit hashes, in sets as in a processor's cache: a full
 * set forgives the id that is nearest to being forgiven anyway.
 */
export class OverflowBuckets {
  private readonly msPerEvent: number;
  private readonly fillMs: number;
  private readonly sets: number;
  private readonly slots: Float64Array;

  constructor({ overflowRate, overflowBurst, overflowIdsMax }: OverflowLimits) {
    this.msPerEvent = overflowRate === 0 ? 0 : 1000 / overflowRate;
    this.fillMs = this.msPerEvent * overflowBurst;
    this.sets = Math.ceil(overflowIdsMax / SET_IDS);
    this.slots = new Float64Array(this.sets * SET_IDS * SLOT);
  }

  /** Takes a token for one event; false when there is none. `nowMs` never goes back. */
  take(teamId: number, distinctId: string, nowMs: number): boolean {
    if (this.msPerEvent === 0) return true;
    const { slots } = this;
    // FNV-1a with two primes at once.
    let low = 0x811c9dc5 ^ teamId;
    let high = 0x9dc5811c ^ teamId;
    for (let i = 0; i < distinctId.length; i++) {
      const unit = distinctId.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b);
    }
    low = (low ^ (low >>> 15)) >>> 0;
    const id = (high >>> 11) * 2 ** 32 + low;
    const start = (low % this.sets) * SET_IDS * SLOT;
    let slot = start;
    for (let at = start; at < start + SET_IDS * SLOT; at += SLOT) {
      if (slots[at] === id) {
        slot = at;
        break;
      }
      if (slots[at + 1]! < slots[slot + 1]!) slot = at;
    }
    const fullAtMs = (slots[slot] === id ? Math.max(slots[slot + 1]!, nowMs) : nowMs) + this.msPerEvent;
    if (fullAtMs - nowMs > this.fillMs) return false;
    slots[slot] = id;
    slots[slot + 1] = fullAtMs;
    return true;
  }
}
