/** A step without an event. */
const FREE = Number.NEGATIVE_INFINITY;

/** Events that do a step each, and all of them different ones. */
export class StepEvents {
  /** When the event of each step was. */
  private readonly us: Float64Array;
  /** The steps that it fits. */
  private readonly fits: Int32Array;
  private readonly waiting: Int32Array;
  private readonly cameFrom: Int32Array;
  count = 0;

  constructor(private readonly stepCount: number) {
    this.us = new Float64Array(stepCount).fill(FREE);
    this.fits = new Int32Array(stepCount);
    this.waiting = new Int32Array(stepCount);
    this.cameFrom = new Int32Array(stepCount);
  }

  reset(): void {
    this.us.fill(FREE);
    this.fits.fill(0);
    this.count = 0;
  }

  /** How many of the events were at `since` or later. */
  countSince(since: number): number {
    let count = 0;
    for (let step = 0; step < this.stepCount; step++) if (this.us[step]! >= since) count++;
    return count;
  }

  /** When the events were, in order. */
  get times(): Float64Array {
    return this.us.filter((us) => us !== FREE).sort();
  }

  /** Adds an event where there is a step for all; else nothing changes, and it is false. */
  add(us: number, fits: number): boolean {
    const end = this.search(fits);
    if (this.us[end] !== FREE) return false;
    this.shift(end, us, fits);
    return true;
  }

  /**
   * Takes an event that is later than all here. Where there is no step for all, the oldest goes of those that could make room:
   * so of the events since any time as many are here as can do different steps.
   */
  take(us: number, fits: number): void {
    this.shift(this.search(fits), us, fits);
  }

  /** Of the steps that would be free if events changed theirs: a free one, else that with the oldest event. */
  private search(fits: number): number {
    let seen = fits;
    let length = 0;
    let end = -1;
    for (let rest = fits; rest !== 0; rest &= rest - 1) length = this.wait(length, rest, -1);
    for (let at = 0; at < length; at++) {
      const step = this.waiting[at]!;
      if (end < 0 || this.us[step]! < this.us[end]!) end = step;
      if (this.us[step] === FREE) break;
      const others = this.fits[step]! & ~seen;
      seen |= others;
      for (let rest = others; rest !== 0; rest &= rest - 1) length = this.wait(length, rest, step);
    }
    return end;
  }

  private wait(length: number, rest: number, from: number): number {
    const step = 31 - Math.clz32(rest & -rest);
    this.waiting[length] = step;
    this.cameFrom[step] = from;
    return length + 1;
  }

  /** Frees a step, the events on the way there each take the next one, and the new event the first. */
  private shift(end: number, us: number, fits: number): void {
    if (this.us[end] === FREE) this.count++;
    let step = end;
    for (let from = this.cameFrom[step]!; from >= 0; from = this.cameFrom[step]!) {
      this.us[step] = this.us[from]!;
      this.fits[step] = this.fits[from]!;
      step = from;
    }
    this.us[step] = us;
    this.fits[step] = fits;
  }
}
