import type { ActiveProgram } from "./activeProgram.ts";
import { CountTally } from "./countTally.ts";
import type { Found } from "./found.ts";
import { Intervals } from "./intervals.ts";
import { ReturnTally } from "./returnTally.ts";
import { StatusTally } from "./statusTally.ts";
import type { ActiveIntervals, Tally } from "./tally.ts";
import type { Part, Slice, Walker } from "./walker.ts";

/** The number of what is before all intervals, and one of no interval. */
const [BEFORE, NONE] = [-1, -2];

/** Finds the intervals in which actors are active, and tells a tally. */
export class ActiveWalker implements Walker {
  private readonly tally: Tally;
  private readonly intervals: Intervals;
  /** Null where one event of a step is enough. */
  private readonly counts: StepCounts | null;
  /** Those of the actor. The last one may go on. */
  private readonly active: ActiveIntervals;
  /** No actor is below 0. */
  private actor = -1;

  /** `madeMs`: by actor, when it was made; NaN where that is not known. */
  constructor(program: ActiveProgram, madeMs: Float64Array, give: (found: Found) => void) {
    const { bucketStartsMs, enough } = program;
    this.tally = tallyOf(program, madeMs, give);
    this.intervals = new Intervals(bucketStartsMs);
    this.counts = enough.every(({ least, most }) => least === 1 && most === null) ? null : new StepCounts(enough);
    const most = bucketStartsMs.length + 1;
    this.active = { count: 0, bucket: new Int32Array(most), steps: new Int32Array(most) };
  }

  get found(): Found {
    return this.tally.found;
  }

  take(slice: Slice): void {
    const { actor, rowCount } = slice;
    for (let row = 0; row < rowCount; ) {
      if (actor[row]! !== this.actor) {
        this.finish();
        this.actor = actor[row]!;
      }
      row = this.counts === null ? this.takeAny(slice, row) : this.takeCounted(slice, row, this.counts);
    }
  }

  part(): Part {
    this.finish();
    return this.tally.part();
  }

  addPart(part: Part): void {
    this.tally.addPart(part);
  }

  end(): void {
    this.finish();
    this.tally.end();
  }

  /**
   * Takes the rows of the actor from one on, and answers where they end. Whether a row is of the interval before it is hard to foresee for a
   * branch, so there is none.
   */
  private takeAny({ actor, us, steps, rowCount }: Slice, from: number): number {
    const { active, intervals, actor: own } = this;
    const { bucket, steps: stepsOf } = active;
    const { fromUs, lengthUs, last: lastBucket } = intervals;
    let at = active.count - 1;
    let last = at < 0 ? NONE : bucket[at]!;
    let row = from;
    for (; row < rowCount && actor[row] === own; row++) {
      const number =
        lengthUs === 0
          ? intervals.numberOf(us[row]!)
          : Math.max(BEFORE, Math.min(lastBucket, (((us[row]! - fromUs) / lengthUs + 1) | 0) - 1));
      const isNext = number === last ? 0 : 1;
      at += isNext;
      bucket[at] = number;
      stepsOf[at] = (stepsOf[at]! & (isNext - 1)) | steps[row]!;
      last = number;
    }
    active.count = at + 1;
    return row;
  }

  /** The same where an interval needs several events of a step. */
  private takeCounted({ actor, us, steps, rowCount }: Slice, from: number, counts: StepCounts): number {
    const { active, intervals, actor: own } = this;
    const { bucket, steps: stepsOf } = active;
    let row = from;
    for (; row < rowCount && actor[row] === own; row++) {
      const number = intervals.numberOf(us[row]!);
      if (active.count === 0 || bucket[active.count - 1] !== number) {
        if (active.count > 0) stepsOf[active.count - 1] = counts.take();
        bucket[active.count++] = number;
      }
      counts.add(steps[row]!);
    }
    return row;
  }

  /** There is no more of the actor. */
  private finish(): void {
    const { active, counts } = this;
    if (counts !== null && active.count > 0) active.steps[active.count - 1] = counts.take();
    if (this.actor !== -1) this.tally.add(this.actor, active);
    this.actor = -1;
    active.count = 0;
  }
}

/** How many events of each step an interval has. */
class StepCounts {
  private readonly counts: Float64Array;

  constructor(private readonly enough: ActiveProgram["enough"]) {
    this.counts = new Float64Array(enough.length);
  }

  add(steps: number): void {
    for (let rest = steps; rest !== 0; rest &= rest - 1) this.counts[31 - Math.clz32(rest & -rest)]!++;
  }

  /** The steps with enough of them; the next interval begins. */
  take(): number {
    let steps = 0;
    for (const [step, { least, most }] of this.enough.entries()) {
      const count = this.counts[step]!;
      if (count >= least && (most === null || count <= most)) steps |= 1 << step;
    }
    this.counts.fill(0);
    return steps;
  }
}

function tallyOf({ gives, bucketStartsMs }: ActiveProgram, madeMs: Float64Array, give: (found: Found) => void): Tally {
  const buckets = bucketStartsMs.length;
  switch (gives.kind) {
    case "counts":
      return new CountTally(gives.lines, buckets, give);
    case "statuses":
      return new StatusTally(gives, bucketStartsMs, madeMs, give);
    case "returns":
      return new ReturnTally(gives, buckets, give);
  }
}
