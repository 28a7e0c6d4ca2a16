import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import { addUp, type Tally } from "./tally.ts";
import type { Part } from "./walker.ts";

const NONE = -1;
const NAMES = ["new", "returning", "resurrecting", "dormant"] as const;
const [NEW, RETURNING, RESURRECTING, DORMANT] = [0, 1, 2, 3];

/** Counts by interval the actors that are active for the first time, again, after a pause, or not in the next one. */
export class StatusTally implements Tally {
  readonly found: NumberRows;
  /** By interval, and status. */
  private readonly counts: Uint32Array;
  /** The interval in which the actor was made. */
  private made = NONE;
  /** The interval that came last, whose next one is not known; and its status. */
  private last = NONE;
  private status = NEW;

  /** `madeIn`: by actor, the interval in which it was made; below 0 for none. */
  constructor(
    private readonly buckets: number,
    private readonly madeIn: Int32Array,
    give: (found: Found) => void,
  ) {
    this.found = new NumberRows(["bucket", ...NAMES], give);
    this.counts = new Uint32Array(buckets * NAMES.length);
  }

  begin(actor: number): void {
    this.made = this.madeIn[actor] ?? NONE;
    this.last = NONE;
  }

  interval(bucket: number, steps: number): void {
    if (bucket < 0 || (steps & 1) === 0) return;
    const isNext = this.last !== NONE && bucket === this.last + 1;
    if (this.last !== NONE) this.count(!isNext);
    this.status = isNext ? RETURNING : this.last === NONE && bucket === this.made ? NEW : RESURRECTING;
    this.last = bucket;
  }

  finish(): void {
    if (this.last !== NONE) this.count(true);
  }

  private count(isDormant: boolean): void {
    const at = this.last * NAMES.length;
    this.counts[at + this.status]!++;
    if (isDormant) this.counts[at + DORMANT]!++;
  }

  part(): Part {
    return [this.counts];
  }

  addPart([counts]: Part): void {
    addUp(this.counts, counts!);
  }

  end(): void {
    for (let bucket = 0; bucket < this.buckets; bucket++) {
      const own = this.counts.subarray(bucket * NAMES.length, (bucket + 1) * NAMES.length);
      if (own.some((count) => count > 0)) this.found.add(bucket, ...own);
    }
    this.found.giveAll();
  }
}
