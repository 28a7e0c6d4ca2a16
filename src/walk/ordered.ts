import { type ActorWalk, NO_CODE, type Tell } from "./actorWalk.ts";
import { Chains } from "./chains.ts";
import { Instant } from "./instant.ts";
import type { FunnelProgram } from "./program.ts";

/** Attempts that began in one bucket. */
interface Lane {
  bucket: number;
  /** Those without a value of the step that gives it: all, where no step does. */
  chains: Chains;
  /** With each value. */
  ofValue: Map<number, Chains>;
}

/** A funnel whose steps come in order: in each bucket, and for each value, attempts of their own. */
export class OrderedWalk implements ActorWalk {
  /** Of buckets whose attempts may still go on. */
  private lanes: Lane[] = [];
  private over: Lane[] = [];
  /** Of the rows that fit the step that gives the value. */
  private readonly values = new Set<number>();
  /** To be used again. */
  private readonly spare: Chains[] = [];
  private readonly narrowed = new Instant();
  /** The step that gives the value; null where it is the same for all steps. */
  private readonly valueStep: number | null;

  constructor(private readonly program: FunnelProgram) {
    this.valueStep = typeof program.attribution === "number" ? program.attribution : null;
  }

  take(instant: Instant, bucket: number): void {
    if (bucket >= 0 && this.lanes.at(-1)?.bucket !== bucket) this.open(bucket, instant.us);
    if (this.valueStep !== null) this.noteValues(instant, this.valueStep);
    for (const lane of this.lanes) this.takeIn(lane, instant, lane.bucket === bucket);
  }

  finish(tell: Tell): void {
    const lanes = [...this.over, ...this.lanes];
    for (const value of this.valueStep === null ? [NO_CODE] : this.values) this.tellOf(value, lanes, tell);
    for (const { chains } of lanes) {
      chains.reset();
      this.spare.push(chains);
    }
    this.lanes = [];
    this.over = [];
    this.values.clear();
  }

  /** Where an attempt met an exclusion and went on, only attempts that were completed count. */
  private tellOf(value: number, lanes: readonly Lane[], tell: Tell): void {
    const all = lanes.map(({ bucket, chains, ofValue }) => ({ bucket, own: ofValue.get(value) ?? chains }));
    const isEnded = all.some(({ own }) => own.isFullyEnded);
    for (const { bucket, own } of all) {
      const { reached, bestTimes: times } = own;
      if (reached > 0 && (!isEnded || own.isDone)) tell({ value, bucket, reached, times });
    }
  }

  private open(bucket: number, us: number): void {
    this.lanes = this.lanes.filter((lane) => {
      const isOver = lane.chains.isOver(us) && [...lane.ofValue.values()].every((chains) => chains.isOver(us));
      if (isOver) this.over.push(lane);
      return !isOver;
    });
    this.lanes.push({ bucket, chains: this.spare.pop() ?? new Chains(this.program), ofValue: new Map() });
  }

  private noteValues(instant: Instant, valueStep: number): void {
    for (let kind = 0; kind < instant.kinds; kind++) {
      if (((instant.steps[kind]! >> valueStep) & 1) === 1) this.values.add(instant.values[kind]!);
    }
  }

  private takeIn({ chains, ofValue }: Lane, instant: Instant, mayBegin: boolean): void {
    const { valueStep } = this;
    if (valueStep === null) {
      chains.take(instant, mayBegin);
      return;
    }
    for (let kind = 0; kind < instant.kinds; kind++) {
      const value = instant.values[kind]!;
      const isOfStep = ((instant.steps[kind]! >> valueStep) & 1) === 1;
      if (isOfStep && !ofValue.has(value)) ofValue.set(value, chains.copy());
    }
    for (const [value, own] of ofValue) {
      if (!own.isDone) own.take(this.narrow(instant, valueStep, value), mayBegin);
    }
    chains.take(this.narrow(instant, valueStep, null), mayBegin);
  }

  /** The instant as it is for a value: other events do not fit the step that gives the value. */
  private narrow(instant: Instant, valueStep: number, value: number | null): Instant {
    const { narrowed } = this;
    narrowed.begin(instant.us);
    for (let kind = 0; kind < instant.kinds; kind++) {
      const steps = instant.steps[kind]!;
      const fits = instant.values[kind] === value ? steps : steps & ~(1 << valueStep);
      narrowed.add(fits, instant.excluded[kind]!, NO_CODE, instant.counts[kind]!);
    }
    return narrowed;
  }
}
