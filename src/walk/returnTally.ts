import type { ActiveGives } from "./activeProgram.ts";
import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import { type ActiveIntervals, addUp, type Tally } from "./tally.ts";
import type { Part } from "./walker.ts";

const [START, RETURN] = [1, 2];
/** Of intervals after a start that are in no column, and of all who started. */
const ALL = 0;

/** Counts who came back in how many intervals after a start. */
export class ReturnTally implements Tally {
  readonly found: NumberRows;
  private readonly width: number;
  /** The column of so many intervals after a start. */
  private readonly columnOf: Uint32Array;
  /** By cohort and column. */
  private readonly actors: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly returns: Uint32Array;

  constructor(
    private readonly o: Extract<ActiveGives, { kind: "returns" }>,
    private readonly buckets: number,
    give: (found: Found) => void,
  ) {
    this.found = new NumberRows(["cohort", "column", "actors"], give);
    this.width = o.columns.length + 1;
    this.columnOf = new Uint32Array(buckets);
    for (const [i, { from, to }] of o.columns.entries()) this.columnOf.fill(i + 1, from, to + 1);
    this.actors = new Uint32Array(buckets * this.width);
    this.starts = new Uint32Array(buckets);
    this.returns = new Uint32Array(buckets);
  }

  add(_actor: number, { count, bucket, steps }: ActiveIntervals): void {
    const { starts, returns, columnOf, actors, width } = this;
    const { isCumulative, isFirst } = this.o;
    let [startCount, returnCount, hasStarted] = [0, 0, false];
    for (let i = 0; i < count; i++) {
      const isShown = bucket[i]! >= 0;
      if ((steps[i]! & START) !== 0) {
        if (isShown && !(isFirst && hasStarted)) starts[startCount++] = bucket[i]!;
        hasStarted = true;
      }
      if (isShown && (steps[i]! & RETURN) !== 0) returns[returnCount++] = bucket[i]!;
    }
    let next = 0;
    for (let i = 0; i < startCount; i++) {
      const start = starts[i]!;
      const row = start * width;
      actors[row + ALL]!++;
      while (next < returnCount && returns[next]! <= start) next++;
      let reached = ALL;
      for (let at = next; at < returnCount; at++) {
        const column = columnOf[returns[at]! - start]!;
        if (column === ALL || column === reached) continue;
        if (!isCumulative) actors[row + column]!++;
        reached = column;
      }
      if (isCumulative && reached !== ALL) actors[row + reached]!++;
    }
  }

  part(): Part {
    return [this.actors];
  }

  addPart([actors]: Part): void {
    addUp(this.actors, actors!);
  }

  end(): void {
    const { actors, width } = this;
    for (let cohort = 0; cohort < this.buckets; cohort++) {
      const row = cohort * width;
      // Whoever is in a column is in those before it.
      for (let column = width - 2; this.o.isCumulative && column > ALL; column--) {
        actors[row + column]! += actors[row + column + 1]!;
      }
      for (let column = ALL; column < width; column++) {
        if (actors[row + column]! > 0) this.found.add(cohort, column, actors[row + column]!);
      }
    }
    this.found.giveAll();
  }
}
