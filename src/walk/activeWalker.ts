import type { ActiveProgram } from "./activeProgram.ts";
import { CountTally } from "./countTally.ts";
import type { Found } from "./found.ts";
import { Intervals } from "./intervals.ts";
import { ReturnTally } from "./returnTally.ts";
import { StatusTally } from "./statusTally.ts";
import type { ActiveIntervals, Tally } from "./tally.ts";
import type { Part, Slice, Walker } from "./walker.ts";

/** Finds the intervals in which actors are active, and tells a tally. */
export class ActiveWalker implements Walker {
  private readonly tally: Tally;
  private readonly intervals: Intervals;
  /** Null where one event of a step is enough. */
  private readonly counts: StepCounts | null;
  /** Those of the actor that are behind it. */
  private readonly active: ActiveIntervals;
  /** No actor is below 0. */
  private actor = -1;
  private bucket = -1;
  /** Steps of the events in the interval; with `counts` these have them. */
  private steps = 0;

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

  take({ rowCount, actor: actors, us, steps: stepsOf }: Slice): void {
    // Most rows are of another interval than the one before, and fields are slow to reach.
    const { intervals, counts, active } = this;
    const { startsUs } = intervals;
    const { bucket: buckets, steps: activeSteps } = active;
    let { actor, bucket, steps } = this;
    let nextUs = startsUs[bucket + 1]!;
    for (let row = 0; row < rowCount; row++) {
      const isOther = actors[row]! !== actor;
      if (isOther || us[row]! >= nextUs) {
        const done = counts === null ? steps : counts.take();
        buckets[active.count] = bucket;
        activeSteps[active.count] = done;
        active.count += done === 0 ? 0 : 1;
        steps = 0;
        if (isOther) {
          this.tell(actor);
          actor = actors[row]!;
          bucket = -1;
        }
        if (us[row]! >= startsUs[bucket + 1]!) bucket = intervals.numberOf(us[row]!);
        nextUs = startsUs[bucket + 1]!;
      }
      if (counts === null) steps |= stepsOf[row]!;
      else counts.add(stepsOf[row]!);
    }
    this.actor = actor;
    this.bucket = bucket;
    this.steps = steps;
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

  /** There is no more of the last actor. */
  private finish(): void {
    const { active, bucket, counts } = this;
    const done = counts === null ? this.steps : counts.take();
    if (done !== 0) {
      active.bucket[active.count] = bucket;
      active.steps[active.count++] = done;
    }
    this.tell(this.actor);
    this.actor = -1;
    this.bucket = -1;
    this.steps = 0;
  }

  private tell(actor: number): void {
    if (actor !== -1) this.tally.add(actor, this.active);
    this.active.count = 0;
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
