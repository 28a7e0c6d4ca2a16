const FREE = 0;
const MIN_SLOTS = 1 << 12;
/** Longer chains than at this load cost more than the memory saves. */
const MAX_LOAD = 0.6;

/**
 * An open-addressing table from 64-bit keys (as two halves) to owners, numbers from 1: 12 bytes a slot.
 * A key may be in it once for each owner. Owners are removed as a whole, lazily.
 */
export class KeyTable {
  private low: Uint32Array;
  private high: Uint32Array;
  private owner: Uint32Array;
  private used = 0;
  /** Keys by owner; none of those that were removed. */
  private readonly counts: number[] = [];
  private live = 0;

  constructor(slots = MIN_SLOTS) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(slots, MIN_SLOTS)));
    this.low = new Uint32Array(size);
    this.high = new Uint32Array(size);
    this.owner = new Uint32Array(size);
  }

  /** Keys of owners that have not been removed. */
  get keyCount(): number {
    return this.live;
  }

  add(low: number, high: number, owner: number): void {
    if (this.used + 1 > this.owner.length * MAX_LOAD) this.rebuild();
    this.place(low, high, owner);
    this.counts[owner] = (this.counts[owner] ?? 0) + 1;
    this.live++;
  }

  /** The first slot that holds the key, or -1; go on with `next`. */
  first(low: number, high: number): number {
    return this.seek(low & (this.owner.length - 1), low, high);
  }

  next(slot: number, low: number, high: number): number {
    return this.seek((slot + 1) & (this.owner.length - 1), low, high);
  }

  ownerAt(slot: number): number {
    return this.owner[slot]!;
  }

  /** Forgets all keys of an owner. Its number must not be used again. */
  remove(owner: number): void {
    this.live -= this.counts[owner] ?? 0;
    this.counts[owner] = 0;
  }

  private seek(start: number, low: number, high: number): number {
    const mask = this.owner.length - 1;
    for (let slot = start; ; slot = (slot + 1) & mask) {
      const owner = this.owner[slot]!;
      if (owner === FREE) return -1;
      if (this.low[slot] === low && this.high[slot] === high && this.counts[owner] !== 0) return slot;
    }
  }

  private place(low: number, high: number, owner: number): void {
    const mask = this.owner.length - 1;
    let slot = low & mask;
    while (this.owner[slot] !== FREE) slot = (slot + 1) & mask;
    this.low[slot] = low;
    this.high[slot] = high;
    this.owner[slot] = owner;
    this.used++;
  }

  /** Drops the keys of removed owners; grows when that alone would not help for long. */
  private rebuild(): void {
    const { low, high, owner } = this;
    const size = this.live > (owner.length * MAX_LOAD) / 2 ? owner.length * 2 : owner.length;
    this.low = new Uint32Array(size);
    this.high = new Uint32Array(size);
    this.owner = new Uint32Array(size);
    this.used = 0;
    for (let slot = 0; slot < owner.length; slot++) {
      if (owner[slot] !== FREE && this.counts[owner[slot]!] !== 0) this.place(low[slot]!, high[slot]!, owner[slot]!);
    }
  }
}
