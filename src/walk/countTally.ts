import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import { type ActiveIntervals, addUp, type Tally } from "./tally.ts";
import type { Part } from "./walker.ts";

/** Counts actors by the number of their intervals, of each step. */
export class CountTally implements Tally {
  readonly found: NumberRows;
  /** Actors by step, and by number of intervals. */
  private readonly actors: Uint32Array[];

  constructor(
    private readonly lines: readonly number[],
    buckets: number,
    give: (found: Found) => void,
  ) {
    this.found = new NumberRows(["line", "intervals", "actors"], give);
    this.actors = lines.map(() => new Uint32Array(buckets + 1));
  }

  add(_actor: number, { count, bucket, steps }: ActiveIntervals): void {
    // Only the first may be before all intervals.
    const first = count > 0 && bucket[0]! < 0 ? 1 : 0;
    for (let step = 0; step < this.lines.length; step++) {
      let own = 0;
      for (let i = first; i < count; i++) own += (steps[i]! >>> step) & 1;
      this.actors[step]![own]!++;
    }
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
