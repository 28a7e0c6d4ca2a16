import { type ActorWalk, NO_CODE, type Tell } from "./actorWalk.ts";
import type { Instant } from "./instant.ts";
import type { FunnelProgram } from "./program.ts";
import { RecentRows } from "./recentRows.ts";
import { StepEvents } from "./stepEvents.ts";

interface Best {
  value: number;
  bucket: number;
  reached: number;
  times: Float64Array;
}

/**
 * A funnel whose steps come in any order. Each row that fits a step begins an attempt, to which all rows within the window belong;
 * it has come as far as these can do different steps. An exclusion in the window ends all attempts that are not completed.
 */
export class UnorderedWalk implements ActorWalk {
  private readonly windowUs: number;
  /** Attempts that may still go on: each row began one. */
  private readonly rows = new RecentRows();
  private readonly newest: StepEvents;
  private readonly earliest: StepEvents;
  /** By bucket and value (`keyOf`). */
  private readonly best = new Map<number, Best>();
  private readonly isByStep: boolean;
  private isDone = false;

  constructor(private readonly program: FunnelProgram) {
    this.windowUs = program.windowMs * 1000;
    this.newest = new StepEvents(program.steps);
    this.earliest = new StepEvents(program.steps);
    this.isByStep = typeof program.attribution === "number";
  }

  take(instant: Instant, bucket: number): void {
    if (this.isDone) return;
    const { rows, newest, program } = this;
    const { us } = instant;
    while (rows.first < rows.end && us - rows.us[rows.first]! > this.windowUs) this.settleFirst();
    if (instant.isPlain && instant.excluded[0] !== 0) {
      rows.clear();
      newest.reset();
    }
    for (let kind = 0; kind < instant.kinds; kind++) {
      const fits = instant.steps[kind]!;
      if (fits === 0) continue;
      // More than there are steps can do nothing.
      for (let left = Math.min(instant.counts[kind]!, program.steps); left > 0; left--) {
        newest.take(us, fits);
        rows.add(us, fits, instant.values[kind]!, bucket);
      }
    }
    while (newest.count === program.steps && rows.first < rows.end && this.reachedOfFirst() === program.steps) {
      this.settleFirst();
    }
  }

  finish(tell: Tell): void {
    const { rows } = this;
    while (rows.first < rows.end && !this.isDone) this.settleFirst();
    for (const best of this.best.values()) tell(best);
    this.best.clear();
    this.newest.reset();
    rows.clear();
    this.isDone = false;
  }

  private reachedOfFirst(): number {
    return this.newest.countSince(this.rows.us[this.rows.first]!);
  }

  /** The oldest attempt goes no further. */
  private settleFirst(): void {
    const { rows, program } = this;
    const [bucket, value] = [rows.buckets[rows.first]!, this.isByStep ? rows.values[rows.first]! : NO_CODE];
    if (bucket >= 0) {
      const reached = this.reachedOfFirst();
      const key = keyOf(bucket, value);
      if (reached > (this.best.get(key)?.reached ?? 0)) {
        this.best.set(key, { value, bucket, reached, times: this.timesOfFirst(reached) });
        this.isDone = reached === program.steps && program.bucketStartsMs === null && !this.isByStep;
      }
    }
    rows.first++;
  }

  /** Of an attempt that has come so far, each step as early as can be. */
  private timesOfFirst(reached: number): Float64Array {
    const { rows, earliest } = this;
    earliest.reset();
    rows.offer((us, fits) => {
      const isTaken = earliest.add(us, fits);
      if (earliest.count === reached) return "enough";
      return isTaken ? "taken" : "refused";
    });
    const times = new Float64Array(this.program.steps).fill(Number.NaN);
    times.set(earliest.times);
    return times;
  }
}

const VALUES = 2 ** 32;

const keyOf = (bucket: number, value: number): number => bucket * VALUES + value;
