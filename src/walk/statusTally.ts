import type { ActiveGives } from "./activeProgram.ts";
import type { Found } from "./found.ts";
import { NumberRows } from "./numberRows.ts";
import { type ActiveIntervals, addUp, type Tally } from "./tally.ts";
import type { Part } from "./walker.ts";

const NONE = -1;
const NAMES = ["new", "returning", "resurrecting", "dormant"] as const;
const [NEW, RETURNING, RESURRECTING, DORMANT] = [0, 1, 2, 3];

/** Counts by interval the actors that are active for the first time, again, after a pause, or not in the next one. */
export class StatusTally implements Tally {
  readonly found: NumberRows;
  /** By interval, and status. */
  private readonly counts: Uint32Array;
  private readonly startsMs: Float64Array;
  private readonly made: { fromMs: number; toMs: number };

  /** `startsMs`: of the intervals. `known`: by actor, when it was made; NaN where that is not known. */
  constructor(
    { made }: Extract<ActiveGives, { kind: "statuses" }>,
    startsMs: readonly number[],
    private readonly known: Float64Array,
    give: (found: Found) => void,
  ) {
    this.found = new NumberRows(["bucket", ...NAMES], give);
    this.startsMs = Float64Array.of(...startsMs, Number.POSITIVE_INFINITY);
    this.made = { ...made, fromMs: made.fromMs ?? Number.NEGATIVE_INFINITY };
    this.counts = new Uint32Array(startsMs.length * NAMES.length);
  }

  add(actor: number, { count, bucket: buckets, steps }: ActiveIntervals): void {
    const { counts } = this;
    let last = NONE;
    for (let i = 0; i < count; i++) {
      const bucket = buckets[i]!;
      if (bucket < 0 || (steps[i]! & 1) === 0) continue;
      const isNext = last !== NONE && bucket === last + 1;
      if (last !== NONE && !isNext) counts[last * NAMES.length + DORMANT]!++;
      const status = isNext ? RETURNING : last === NONE && this.isMadeIn(actor, bucket) ? NEW : RESURRECTING;
      counts[bucket * NAMES.length + status]!++;
      last = bucket;
    }
    if (last !== NONE) counts[last * NAMES.length + DORMANT]!++;
  }

  private isMadeIn(actor: number, bucket: number): boolean {
    const { startsMs, made } = this;
    const madeMs = this.known[actor] ?? Number.NaN;
    const isIn = madeMs >= startsMs[bucket]! && madeMs < startsMs[bucket + 1]!;
    return isIn && madeMs >= made.fromMs && madeMs <= made.toMs;
  }

  part(): Part {
    return [this.counts];
  }

  addPart([counts]: Part): void {
    addUp(this.counts, counts!);
  }

  end(): void {
    for (let bucket = 0; bucket < this.startsMs.length - 1; bucket++) {
      const own = this.counts.subarray(bucket * NAMES.length, (bucket + 1) * NAMES.length);
      if (own.some((count) => count > 0)) this.found.add(bucket, ...own);
    }
    this.found.giveAll();
  }
}
