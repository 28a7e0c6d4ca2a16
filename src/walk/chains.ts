import type { Instant } from "./instant.ts";
import { Matching } from "./matching.ts";
import type { FunnelProgram } from "./program.ts";

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * The attempts of one actor at a funnel whose steps come in order. Of those that have come to a step, having done as many
 * optional ones, only that which began last is kept: it can do whatever the others can. So memory and time are bounded
 * by the number of steps.
 */
export class Chains {
  private readonly stepCount: number;
  private readonly windowUs: number;
  /** Numbers of optional steps that an attempt can have done. */
  private readonly slots: number;
  /** Neither exclusions nor optional steps, nor events in the way. */
  readonly isSimple: boolean;
  /** When the attempt began that has come to a level (steps done or left out) with so many optional ones done. */
  private readonly begun: Float64Array;
  /** It has met an exclusion, and takes at most one step more. */
  private readonly isEnded: Uint8Array;
  /** The instants of its steps. */
  private readonly times: Float64Array;
  private readonly matching = new Matching();
  private readonly best: Best = { us: 0, level: 0, isEnded: false, wentOn: false, slot: 0, begun: 0 };
  /** The times of the deepest attempt. */
  readonly bestTimes: Float64Array;
  isDone = false;

  constructor(private readonly program: FunnelProgram) {
    this.stepCount = program.steps;
    this.windowUs = program.windowMs * 1000;
    this.slots = bitsOf(program.optional) + 1;
    this.isSimple = program.order === "ordered" && program.optional === 0 && program.exclusions.length === 0;
    const cells = (this.stepCount + 1) * this.slots;
    this.begun = new Float64Array(cells).fill(NEVER);
    this.isEnded = new Uint8Array(cells);
    this.times = new Float64Array(cells * this.stepCount).fill(Number.NaN);
    this.bestTimes = new Float64Array(this.stepCount).fill(Number.NaN);
  }

  /** Steps of the deepest attempt; 0 where it met an exclusion, or there is none. */
  get reached(): number {
    return this.best.isEnded ? 0 : this.best.level;
  }

  /** The deepest attempt met an exclusion and went on. */
  get isFullyEnded(): boolean {
    return this.best.isEnded && this.best.wentOn;
  }

  /** Forgets all. */
  reset(): void {
    const { begun, isEnded, bestTimes } = this;
    // They are short, and each actor needs it.
    for (let cell = 0; cell < begun.length; cell++) {
      begun[cell] = NEVER;
      isEnded[cell] = 0;
    }
    for (let step = 0; step < bestTimes.length; step++) bestTimes[step] = Number.NaN;
    this.best.level = 0;
    this.best.isEnded = false;
    this.best.wentOn = false;
    this.isDone = false;
  }

  /** The same, to be walked on with other events. */
  copy(): Chains {
    const copy = new Chains(this.program);
    copy.begun.set(this.begun);
    copy.isEnded.set(this.isEnded);
    copy.times.set(this.times);
    copy.bestTimes.set(this.bestTimes);
    Object.assign(copy.best, this.best);
    copy.isDone = this.isDone;
    return copy;
  }

  /** Takes what has come no further than a level over from attempts that were the same up to there. */
  copyUpTo(level: number, from: Chains): void {
    const cells = (level + 1) * this.slots;
    this.begun.set(from.begun.subarray(0, cells));
    this.isEnded.set(from.isEnded.subarray(0, cells));
    this.times.set(from.times.subarray(0, cells * this.stepCount));
    if (this.best.level > level) return;
    Object.assign(this.best, from.best);
    this.bestTimes.set(from.bestTimes);
  }

  /** Whether some attempt has come further than to a level. */
  isBeyond(level: number): boolean {
    return this.best.level > level;
  }

  /** The steps (a bit for each) that move attempts on which have come further than to a level: without exclusions, in order. */
  stepsBeyond(level: number, us: number): number {
    const { slots, stepCount } = this;
    let steps = 0;
    for (let at = level + 1; at < stepCount && !this.isDone; at++) {
      for (let slot = 0; slot < slots; slot++) {
        const since = this.begun[at * slots + slot]!;
        if (since !== NEVER && us - since <= this.windowUs) steps |= this.stepsOn(at, slot, since);
      }
    }
    return steps;
  }

  /** The steps behind a level that move an attempt there on. */
  private stepsOn(level: number, slot: number, since: number): number {
    let steps = 0;
    for (let step = level; step < this.stepCount; step++) {
      const to = slot + (this.isOptional(step) ? 1 : 0);
      if (since > this.begun[(step + 1) * this.slots + to]!) steps |= 1 << step;
      if (!this.isOptional(step)) break;
    }
    return steps;
  }

  /** Whether no attempt goes on at `us` or later. */
  isOver(us: number): boolean {
    return this.isDone || this.begun.every((begun) => us - begun > this.windowUs);
  }

  /** Takes the events of the next instant. `mayBegin`: attempts may begin at it. */
  take(instant: Instant, mayBegin: boolean): void {
    if (this.isDone) return;
    if (this.isSimple && instant.kinds === 1 && instant.counts[0] === 1) {
      this.takeOne(instant.us, instant.steps[0]!, mayBegin);
      return;
    }
    if (instant.isPlain) this.takeEqual(instant, mayBegin);
    else this.takeMixed(instant, mayBegin);
    this.isDone = this.begun[this.stepCount * this.slots] !== NEVER || this.hasEnd();
  }

  /** The same as `takeEqual`, where nothing but steps and the window decides: most rows of most funnels. */
  takeOne(us: number, fits: number, mayBegin: boolean): void {
    const { begun, best, stepCount, windowUs } = this;
    for (let rest = fits; rest !== 0; ) {
      const step = 31 - Math.clz32(rest);
      rest &= ~(1 << step);
      if (step === 0 && !mayBegin) return;
      const since = step === 0 ? us : begun[step]!;
      const level = step + 1;
      if (us - since > windowUs || since <= begun[level]!) continue;
      begun[level] = since;
      this.copyTimes(level, us);
      if (level <= best.level) continue;
      best.us = us;
      best.level = level;
      best.begun = since;
      for (let at = 0; at < level; at++) this.bestTimes[at] = this.times[level * stepCount + at]!;
      this.isDone = level === stepCount;
    }
  }

  /** An attempt comes to a level: its times are those of the level before, and the last one. */
  private copyTimes(level: number, us: number): void {
    const { times, stepCount } = this;
    const to = level * stepCount;
    const from = to - stepCount;
    for (let step = 0; step < level - 1; step++) times[to + step] = times[from + step]!;
    times[to + level - 1] = us;
  }

  private hasEnd(): boolean {
    if (this.slots === 1) return false;
    return this.begun.subarray(this.stepCount * this.slots).some((begun) => begun !== NEVER);
  }

  /** One after the other. After as many as there are steps nothing changes any more. */
  private takeEqual({ us, steps, excluded, counts }: Instant, mayBegin: boolean): void {
    const fits = steps[0]!;
    const ends = excluded[0]!;
    for (let left = Math.min(counts[0]!, this.stepCount + 1); left > 0; left--) {
      if (ends !== 0) this.endAttempts(us, ends);
      // From the last step on, so that an event does one step of an attempt only.
      for (let rest = fits; rest !== 0; ) {
        const step = 31 - Math.clz32(rest);
        rest &= ~(1 << step);
        this.takeStep(us, step, mayBegin);
      }
      if (this.program.order === "strict") this.forgetOthers(fits);
    }
  }

  private takeStep(us: number, step: number, mayBegin: boolean): void {
    if (step === 0) {
      if (mayBegin) this.extend(us, 0, 0, 1, 0, 1);
      return;
    }
    const level = step + 1;
    const add = this.isOptional(step) ? 1 : 0;
    for (let from = level - 1; ; from--) {
      for (let slot = this.slots - 1 - add; slot >= 0; slot--)
        this.extend(us, from, slot, level, slot + add, 1 << step);
      if (from === 1 || !this.isOptional(from - 1)) return;
    }
  }

  /**
   * Different events, in whatever order brings an attempt furthest. None of them is known to be between two steps, so none
   * ends an attempt.
   */
  private takeMixed(instant: Instant, mayBegin: boolean): void {
    const { matching } = this;
    for (let level = this.stepCount; level > 0; level--) {
      matching.begin(instant);
      if (!matching.add(level - 1)) continue;
      let steps = 1 << (level - 1);
      let optional = 0;
      for (let from = level - 1; from >= 0; from--) {
        if (from > 0 || mayBegin) this.extendOver(instant.us, { from, level, steps, optional });
        if (from === 0) break;
        if (this.isOptional(from - 1)) optional |= 1 << (from - 1);
        else if (matching.add(from - 1)) steps |= 1 << (from - 1);
        else break;
      }
    }
  }

  /** Attempts at `from` do `steps`, and as many of `optional` as there are events left for. */
  private extendOver(us: number, o: { from: number; level: number; steps: number; optional: number }): void {
    const { from, level } = o;
    let { steps } = o;
    const spare = o.optional === 0 ? null : this.matching.copy();
    for (let step = from; spare !== null && step < level - 1; step++) {
      if (((o.optional >> step) & 1) === 1 && spare.add(step)) steps |= 1 << step;
    }
    const done = bitsOf(steps & this.program.optional);
    for (let slot = from === 0 ? 0 : this.slots - 1; slot >= 0; slot--) {
      this.extend(us, from, slot, level, Math.min(slot + done, this.slots - 1), steps);
    }
  }

  /** An attempt at a level goes on to another by doing `steps` now. */
  private extend(us: number, from: number, slot: number, level: number, toSlot: number, steps: number): void {
    const source = from * this.slots + slot;
    const begun = from === 0 ? us : this.begun[source]!;
    if (us - begun > this.windowUs) return;
    const target = level * this.slots + toSlot;
    const isEnded = from > 0 && this.isEnded[source] === 1;
    if (this.begun[target] === begun || (isEnded && (steps & (steps - 1)) !== 0)) return;
    if (level - from > 1 && from > 0 && this.hasEndedBetween(from, level, begun)) return;
    if (this.isBest(us, level, isEnded, toSlot, begun)) {
      const { best } = this;
      best.us = us;
      best.level = level;
      best.isEnded = isEnded;
      best.wentOn = isEnded;
      best.slot = toSlot;
      best.begun = begun;
      this.write(this.bestTimes, 0, from === 0 ? -1 : source, steps, us);
    }
    if (isEnded || !(begun > this.begun[target]! || this.isEnded[target] === 1)) return;
    this.begun[target] = begun;
    this.isEnded[target] = 0;
    this.write(this.times, target * this.stepCount, from === 0 ? -1 : source, steps, us);
  }

  /** Deeper; of those that come there at one instant one with more optional steps, then that which began last. */
  private isBest(us: number, level: number, isEnded: boolean, slot: number, begun: number): boolean {
    const { best } = this;
    if (level !== best.level) return level > best.level;
    if (best.isEnded || isEnded || us !== best.us) return best.isEnded;
    return slot > best.slot || (slot === best.slot && begun > best.begun);
  }

  /** An attempt that met an exclusion at a step does not begin that step anew. */
  private hasEndedBetween(from: number, level: number, begun: number): boolean {
    for (let cell = (from + 1) * this.slots; cell < level * this.slots; cell++) {
      if (this.isEnded[cell] === 1 && this.begun[cell] === begun) return true;
    }
    return false;
  }

  private write(into: Float64Array, at: number, source: number, steps: number, us: number): void {
    const { stepCount, times } = this;
    for (let step = 0; step < stepCount; step++) {
      const before = source < 0 ? Number.NaN : times[source * stepCount + step]!;
      into[at + step] = ((steps >> step) & 1) === 1 ? us : before;
    }
  }

  private endAttempts(us: number, ends: number): void {
    for (const [i, { from, to }] of this.program.exclusions.entries()) {
      if (((ends >> i) & 1) === 0) continue;
      for (let level = from + 1; level <= Math.min(to, this.stepCount - 1); level++) this.endAt(us, level);
    }
  }

  /** Ends the attempts at a level that have not gone on from there. */
  private endAt(us: number, level: number): void {
    const { slots, begun, isEnded, best } = this;
    for (let cell = level * slots; cell < (level + 1) * slots; cell++) {
      const since = begun[cell]!;
      if (us - since > this.windowUs || isEnded[cell] === 1 || this.wentOn(level, since)) continue;
      isEnded[cell] = 1;
      if (best.level === level && us - best.begun <= this.windowUs) best.isEnded = true;
    }
  }

  private wentOn(level: number, since: number): boolean {
    const from = (level + 1) * this.slots;
    for (let cell = from; cell < this.begun.length; cell++) if (this.begun[cell] === since) return true;
    return false;
  }

  /** An event that does not fit the step that an attempt has come to is in its way. */
  private forgetOthers(fits: number): void {
    for (let level = 1; level <= this.stepCount; level++) {
      if (((fits >> (level - 1)) & 1) === 1) continue;
      this.begun.fill(NEVER, level * this.slots, (level + 1) * this.slots);
      this.isEnded.fill(0, level * this.slots, (level + 1) * this.slots);
    }
  }

  private isOptional(step: number): boolean {
    return ((this.program.optional >> step) & 1) === 1;
  }
}

/** The deepest attempt. */
interface Best {
  /** When it came there. */
  us: number;
  level: number;
  /** It met an exclusion; `wentOn`: before its last step. */
  isEnded: boolean;
  wentOn: boolean;
  slot: number;
  begun: number;
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}
