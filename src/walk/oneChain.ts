import { type ActorWalk, NO_CODE, type Tell } from "./actorWalk.ts";
import { Chains } from "./chains.ts";
import type { Instant } from "./instant.ts";
import type { FunnelProgram } from "./program.ts";
import type { Slice } from "./walker.ts";

/** A funnel whose steps come in order, where neither buckets nor values of a step tell attempts apart. */
export class OneChain implements ActorWalk {
  private readonly chains: Chains;

  constructor(program: FunnelProgram) {
    this.chains = new Chains(program);
  }

  get isSimple(): boolean {
    return this.chains.isSimple;
  }

  /** Takes rows of the actor from `from` to below `end`, each the only one of its instant, where `isSimple`. */
  takeAlone({ us, steps }: Slice, from: number, end: number): void {
    const { chains } = this;
    for (let row = from; row < end && !chains.isDone; row++) chains.takeOne(us[row]!, steps[row]!, true);
  }

  take(instant: Instant): void {
    this.chains.take(instant, true);
  }

  finish(tell: Tell): void {
    const { reached, isFullyEnded, isDone, bestTimes: times } = this.chains;
    // An attempt that met an exclusion and went on counts only where it was completed.
    if (reached > 0 && (!isFullyEnded || isDone)) tell({ value: NO_CODE, bucket: 0, reached, times });
    this.chains.reset();
  }
}
