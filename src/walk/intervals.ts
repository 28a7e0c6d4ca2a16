const SLOTS_PER_INTERVAL = 4;

/** Intervals of time one after the other, and which of them a time is in. */
export class Intervals {
  readonly fromUs: number;
  /** Of each interval, where all have the same; 0 where they differ. */
  readonly lengthUs: number;
  /** The number of the last one. */
  readonly last: number;
  /** Where each begins, in microseconds, and infinity. */
  private readonly startsUs: Float64Array;
  private readonly slotsPerUs: number;
  /** The interval in which each of equal parts of the time between the first and the last start begins. */
  private readonly slots: Uint32Array;

  /** Starts in epoch milliseconds, ascending, one or more. Of equal ones the last has the times. */
  constructor(startsMs: readonly number[]) {
    const count = startsMs.length;
    this.startsUs = Float64Array.from([...startsMs, Number.POSITIVE_INFINITY], (ms) => ms * 1000);
    this.fromUs = this.startsUs[0]!;
    this.last = count - 1;
    const lengthUs = count < 2 ? 0 : this.startsUs[1]! - this.fromUs;
    const areAlike = startsMs.every((_, i) => i === 0 || this.startsUs[i]! - this.startsUs[i - 1]! === lengthUs);
    this.lengthUs = areAlike ? lengthUs : 0;
    const spanUs = this.startsUs[count - 1]! - this.fromUs;
    const slots = count * SLOTS_PER_INTERVAL;
    this.slotsPerUs = spanUs === 0 ? 0 : (slots - 1) / spanUs;
    this.slots = new Uint32Array(slots);
    for (let slot = 1, at = 0; slot < slots; slot++) {
      while (this.slotsPerUs * (this.startsUs[at + 1]! - this.fromUs) < slot) at++;
      this.slots[slot] = at;
    }
  }

  /** The number of the interval that a time is in; -1 before the first. */
  numberOf(us: number): number {
    if (!(us >= this.fromUs)) return -1;
    const slot = Math.min((us - this.fromUs) * this.slotsPerUs, this.slots.length - 1) | 0;
    let number = this.slots[slot]!;
    while (this.startsUs[number + 1]! <= us) number++;
    return number;
  }
}
