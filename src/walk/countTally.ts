import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import { type ActiveIntervals, addUp, type Tally } from "./tally.ts";
import type { Part } from "./walker.ts";

/** Counts actors by the number of their intervals, of each step. */
export class CountTally implements Tally {
  readonly found: NumberRows;
  /** Intervals of the actor, by step. */
  private readonly own: Uint32Array;
  /** Actors by step, and by number of intervals. */
  private readonly actors: Uint32Array[];

  constructor(
    private readonly lines: readonly number[],
    buckets: number,
    give: (found: Found) => void,
  ) {
    this.found = new NumberRows(["line", "intervals", "actors"], give);
    this.own = new Uint32Array(lines.length);
    this.actors = lines.map(() => new Uint32Array(buckets + 1));
  }

  add(_actor: number, { count, bucket, steps }: ActiveIntervals): void {
    const { own, actors } = this;
    own.fill(0);
    for (let i = 0; i < count; i++) {
      if (bucket[i]! < 0) continue;
      for (let rest = steps[i]!; rest !== 0; rest &= rest - 1) own[31 - Math.clz32(rest & -rest)]!++;
    }
    for (let step = 0; step < own.length; step++) actors[step]![own[step]!]!++;
  }

  part(): Part {
    return this.actors;
  }

  addPart(part: Part): void {
    for (const [step, actors] of this.actors.entries()) addUp(actors, part[step]!);
  }

  end(): void {
    for (const [step, line] of this.lines.entries()) {
      const actors = this.actors[step]!;
      for (let intervals = 1; intervals < actors.length; intervals++) {
        if (actors[intervals]! > 0) this.found.add(line, intervals, actors[intervals]!);
      }
    }
    this.found.giveAll();
  }
}
