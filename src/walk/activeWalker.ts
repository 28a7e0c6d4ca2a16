import type { ActiveProgram } from "./activeProgram.ts";
import { CountTally } from "./countTally.ts";
import type { Found } from "./found.ts";
import { Intervals } from "./intervals.ts";
import { ReturnTally } from "./returnTally.ts";
import { StatusTally } from "./statusTally.ts";
import type { Tally } from "./tally.ts";
import type { Part, Slice, Walker } from "./walker.ts";

/** Finds the intervals in which actors are active, and tells a tally. */
export class ActiveWalker implements Walker {
  private readonly tally: Tally;
  private readonly intervals: Intervals;
  /** Null where one event of a step is enough. */
  private readonly counts: StepCounts | null;
  /** No actor is below 0. */
  private actor = -1;
  private bucket = -1;
  /** Where the next interval begins. */
  private nextUs = 0;
  /** Steps of the events in the interval; with `counts` these have them. */
  private steps = 0;

  /** `madeIn`: by actor, the interval in which it was made; below 0 for none. */
  constructor(program: ActiveProgram, madeIn: Int32Array, give: (found: Found) => void) {
    const { bucketStartsMs, enough } = program;
    this.tally = tallyOf(program, madeIn, give);
    this.intervals = new Intervals(bucketStartsMs);
    this.counts = enough.every(({ least, most }) => least === 1 && most === null) ? null : new StepCounts(enough);
  }

  get found(): Found {
    return this.tally.found;
  }

  take({ rowCount, actor, us, steps }: Slice): void {
    const { counts } = this;
    for (let row = 0; row < rowCount; ) {
      if (actor[row]! !== this.actor) this.beginActor(actor[row]!);
      else if (us[row]! >= this.nextUs) this.goTo(us[row]!);
      // The events of one actor in one interval; fields are slow to reach.
      const { actor: own, nextUs } = this;
      let some = 0;
      for (; row < rowCount && actor[row]! === own && us[row]! < nextUs; row++) {
        if (counts === null) some |= steps[row]!;
        else counts.add(steps[row]!);
      }
      this.steps |= some;
    }
  }

  part(): Part {
    this.finishActor();
    this.actor = -1;
    return this.tally.part();
  }

  addPart(part: Part): void {
    this.tally.addPart(part);
  }

  end(): void {
    this.finishActor();
    this.tally.end();
  }

  private beginActor(actor: number): void {
    this.finishActor();
    this.actor = actor;
    this.bucket = -1;
    this.nextUs = this.intervals.startsUs[0]!;
    this.tally.begin(actor);
  }

  private finishActor(): void {
    if (this.actor === -1) return;
    this.finishInterval();
    this.tally.finish();
  }

  private finishInterval(): void {
    const steps = this.counts === null ? this.steps : this.counts.take();
    if (steps !== 0) this.tally.interval(this.bucket, steps);
    this.steps = 0;
  }

  /** To the interval of a time behind the one that the walker is in. */
  private goTo(us: number): void {
    this.finishInterval();
    this.bucket = this.intervals.numberOf(us);
    this.nextUs = this.intervals.startsUs[this.bucket + 1]!;
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

function tallyOf({ gives, bucketStartsMs }: ActiveProgram, madeIn: Int32Array, give: (found: Found) => void): Tally {
  const buckets = bucketStartsMs.length;
  switch (gives.kind) {
    case "counts":
      return new CountTally(gives.lines, buckets, give);
    case "statuses":
      return new StatusTally(buckets, madeIn, give);
    case "returns":
      return new ReturnTally(gives, buckets, give);
  }
}
