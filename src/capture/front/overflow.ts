import { type OutgoingEvent, RawEvent } from "../../types/mod.ts";

/** How much one distinct_id may send before its live events go to the overflow lane. */
interface OverflowLimits {
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
const WORD_BYTES = 4;
/** An id's 200 characters fit. */
const TEXT_MAX_BYTES = 1024;

/**
 * A token bucket for each (project, distinct_id). Of a bucket it keeps only when it will be full again: what is full needs
 * no memory, so that few ids are held however many send. Ids are 53-bit hashes, in sets as in a processor's cache: a full
 * set forgives the id that is nearest to being forgiven anyway.
 */
export class OverflowBuckets {
  private readonly msPerEvent: number;
  private readonly fillMs: number;
  /** A power of two: its rest is a mask, at half the cost of a division. */
  private readonly sets: number;
  private readonly slots: Float64Array;
  private readonly text = Buffer.alloc(TEXT_MAX_BYTES);

  constructor({ overflowRate, overflowBurst, overflowIdsMax }: OverflowLimits) {
    this.msPerEvent = overflowRate === 0 ? 0 : 1000 / overflowRate;
    this.fillMs = this.msPerEvent * overflowBurst;
    this.sets = 2 ** Math.ceil(Math.log2(Math.max(overflowIdsMax / SET_IDS, 1)));
    this.slots = new Float64Array(this.sets * SET_IDS * SLOT);
  }

  /** Takes a token for one event; false when there is none. `nowMs` never goes back. */
  take(event: Pick<OutgoingEvent, "teamId" | "distinctId">, nowMs: number): boolean {
    if (this.msPerEvent === 0) return true;
    const { teamId } = event;
    if (event instanceof RawEvent)
      return this.takeOf(teamId, event.bytes, event.distinctIdStart, event.distinctIdEnd, nowMs);
    return this.takeOf(teamId, this.text, 0, this.text.write(event.distinctId), nowMs);
  }

  /** The id lies in `bytes`. */
  private takeOf(teamId: number, bytes: Buffer, from: number, to: number, nowMs: number): boolean {
    const { slots } = this;
    // Two hashes at once, of four bytes at a time.
    let low = 0x811c9dc5 ^ teamId;
    let high = 0x9dc5811c ^ teamId;
    let at = from;
    for (; at + WORD_BYTES <= to; at += WORD_BYTES) {
      const word = bytes.readUInt32LE(at);
      low = mix(low ^ word, 0x01000193);
      high = mix(high ^ word, 0x85ebca6b);
    }
    for (; at < to; at++) {
      low = mix(low ^ bytes[at]!, 0x01000193);
      high = mix(high ^ bytes[at]!, 0x85ebca6b);
    }
    const id = (high >>> 11) * 2 ** 32 + (low >>> 0);
    const start = (low & (this.sets - 1)) * SET_IDS * SLOT;
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

/** What is multiplied moves to the higher bits only; so some of those come down again. */
function mix(hash: number, factor: number): number {
  const product = Math.imul(hash, factor);
  return product ^ (product >>> 15);
}
