import { type ActorWalk, NO_CODE, type Tell } from "./actorWalk.ts";
import { Chains } from "./chains.ts";
import { Instant } from "./instant.ts";
import type { FunnelProgram } from "./program.ts";
import { ValuedChains } from "./valuedChains.ts";

/** Attempts that began in one bucket. */
interface Lane {
  bucket: number;
  /** Those without a value of the step that gives it: all, where no step does. */
  chains: Chains;
  /** Those with each value; null where no step gives one. */
  valued: ValuedChains | null;
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
  /** The instant for values that none of its events has, and for each of the others. */
  private others = new Instant();
  private readonly own = new Map<number, Instant>();
  /** To be used again. */
  private readonly instants: Instant[] = [];
  /** The step that gives the value; null where it is the same for all steps. */
  private readonly valueStep: number | null;

  constructor(private readonly program: FunnelProgram) {
    this.valueStep = typeof program.attribution === "number" ? program.attribution : null;
  }

  take(instant: Instant, bucket: number): void {
    if (bucket >= 0 && this.lanes.at(-1)?.bucket !== bucket) this.open(bucket, instant.us);
    if (this.valueStep === null) this.others = instant;
    else this.narrow(instant, this.valueStep);
    for (const { chains, valued, bucket: of } of this.lanes) {
      valued?.take(chains, this.others, this.own, of === bucket);
      chains.take(this.others, of === bucket);
    }
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
    const all = lanes.map(({ bucket, chains, valued }) => ({ bucket, own: valued?.of(value) ?? chains }));
    const isEnded = all.some(({ own }) => own.isFullyEnded);
    for (const { bucket, own } of all) {
      const { reached, bestTimes: times } = own;
      if (reached > 0 && (!isEnded || own.isDone)) tell({ value, bucket, reached, times });
    }
  }

  private open(bucket: number, us: number): void {
    this.lanes = this.lanes.filter((lane) => {
      const isOver = lane.chains.isOver(us) && (lane.valued?.isOver(us) ?? true);
      if (isOver) this.over.push(lane);
      return !isOver;
    });
    const valued = this.valueStep === null ? null : new ValuedChains(this.program, this.valueStep);
    this.lanes.push({ bucket, chains: this.spare.pop() ?? new Chains(this.program), valued });
  }

  /** Events of other values do not fit the step that gives the value. */
  private narrow(instant: Instant, valueStep: number): void {
    const { others, own } = this;
    const bit = 1 << valueStep;
    others.begin(instant.us);
    own.clear();
    const { steps, excluded, values, counts } = instant;
    for (let kind = 0; kind < instant.kinds; kind++) {
      others.add(steps[kind]! & ~bit, excluded[kind]!, NO_CODE, counts[kind]!);
    }
    for (let kind = 0; kind < instant.kinds; kind++) {
      if ((steps[kind]! & bit) === 0) continue;
      const value = values[kind]!;
      this.values.add(value);
      let narrowed = own.get(value);
      if (narrowed === undefined) {
        narrowed = this.instants[own.size] ??= new Instant();
        narrowed.copy(others);
        own.set(value, narrowed);
      }
      narrowed.remove(steps[kind]! & ~bit, excluded[kind]!, NO_CODE, counts[kind]!);
      narrowed.add(steps[kind]!, excluded[kind]!, NO_CODE, counts[kind]!);
    }
  }
}
