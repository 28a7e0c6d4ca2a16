import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import type { Tally } from "./tally.ts";

const NONE = -1;
/** Values of `before`, and of `after`. */
const [BEFORES, AFTERS] = [3, 2];

/** Tells of each interval of an actor whether the actor was active before it, and is in the next one. */
export class NeighbourTally implements Tally {
  readonly found: NumberRows;
  private actor = 0;
  /** The interval that came last, whose next one is not known. */
  private last = NONE;
  private before = 0;
  /** Intervals that are not the first of their actor, by number, `before` and `after`. */
  private readonly alike: Uint32Array;

  constructor(
    private readonly buckets: number,
    give: (found: Found) => void,
  ) {
    this.found = new NumberRows(["actor", "n", "before", "after", "actors"], give);
    this.alike = new Uint32Array(buckets * BEFORES * AFTERS);
  }

  begin(actor: number): void {
    this.actor = actor;
    this.last = NONE;
    this.before = 0;
  }

  interval(bucket: number, steps: number): void {
    if (bucket < 0 || (steps & 1) === 0) return;
    if (this.last !== NONE) {
      const after = bucket === this.last + 1 ? 1 : 0;
      this.tell(after);
      this.before = 1 + after;
    }
    this.last = bucket;
  }

  finish(): void {
    if (this.last !== NONE) this.tell(0);
  }

  private tell(after: number): void {
    if (this.before === 0) this.found.add(this.actor, this.last, 0, after, 1);
    else this.alike[(this.last * BEFORES + this.before) * AFTERS + after]!++;
  }

  end(): void {
    for (let n = 0; n < this.buckets; n++) {
      for (let before = 1; before < BEFORES; before++) {
        for (let after = 0; after < AFTERS; after++) {
          const actors = this.alike[(n * BEFORES + before) * AFTERS + after]!;
          if (actors > 0) this.found.add(this.actor, n, before, after, actors);
        }
      }
    }
    this.found.giveAll();
  }
}
