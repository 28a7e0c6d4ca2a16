import type { ActiveGives } from "./activeProgram.ts";
import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import { addUp, type Tally } from "./tally.ts";
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
  private startCount = 0;
  private readonly returns: Uint32Array;
  private returnCount = 0;
  private hasStarted = false;

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

  begin(): void {
    this.startCount = 0;
    this.returnCount = 0;
    this.hasStarted = false;
  }

  interval(bucket: number, steps: number): void {
    if ((steps & START) !== 0) {
      if (bucket >= 0 && !(this.o.isFirst && this.hasStarted)) this.starts[this.startCount++] = bucket;
      this.hasStarted = true;
    }
    if ((steps & RETURN) !== 0 && bucket >= 0) this.returns[this.returnCount++] = bucket;
  }

  finish(): void {
    const { starts, returns, columnOf, actors, width, startCount, returnCount } = this;
    const { isCumulative } = this.o;
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
