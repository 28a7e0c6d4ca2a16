import { Chains } from "./chains.ts";
import type { Instant } from "./instant.ts";
import type { FunnelProgram } from "./program.ts";

/** The attempts with one value, and where they wait. */
interface Valued {
  value: number;
  chains: Chains;
  /** The steps that move some of them on. */
  awaited: number;
  /** Of the last instant that woke them. */
  turn: number;
}

/**
 * Attempts of one bucket by the value that an event of one step gives. Up to that step they are those without a value (`without`); beyond
 * it they are looked at only where an instant moves them on. So the time that an event takes does not depend on the number of
 * values. In strict order, where exclusions end attempts, and where the step may be left out all are looked at.
 */
export class ValuedChains {
  private readonly ofValue = new Map<number, Valued>();
  /** For each step: those that it moves on. */
  private readonly waiting: Set<Valued>[];
  private readonly isShared: boolean;
  private spare: Chains | null = null;
  private turn = 0;
  private readonly wokenNow: Valued[] = [];

  constructor(
    private readonly program: FunnelProgram,
    private readonly step: number,
  ) {
    const { order, exclusions, optional, steps } = program;
    this.isShared = order === "ordered" && exclusions.length === 0 && ((optional >> step) & 1) === 0;
    this.waiting = Array.from({ length: steps }, () => new Set());
  }

  /** The attempts with a value; null where those without one are the same. */
  of(value: number): Chains | null {
    return this.ofValue.get(value)?.chains ?? null;
  }

  isOver(us: number): boolean {
    for (const { chains } of this.ofValue.values()) if (!chains.isOver(us)) return false;
    return true;
  }

  /**
   * Takes an instant, before `without` takes it. `others` is the instant as it is for values that none of its events has, `own` as it is
   * for each of the others.
   */
  take(without: Chains, others: Instant, own: ReadonlyMap<number, Instant>, mayBegin: boolean): void {
    for (const valued of this.woken(others)) {
      if (!own.has(valued.value)) this.takeIn(valued, without, others, mayBegin);
    }
    for (const [value, instant] of own) {
      const valued = this.ofValue.get(value) ?? this.begin(value, without);
      this.takeIn(valued, without, instant, mayBegin);
      if (this.isShared && !valued.chains.isBeyond(this.step)) this.drop(valued);
    }
  }

  private begin(value: number, without: Chains): Valued {
    const chains = this.isShared ? (this.spare ?? new Chains(this.program)) : without.copy();
    if (this.isShared) this.spare = null;
    const valued = { value, chains, awaited: 0, turn: 0 };
    this.ofValue.set(value, valued);
    return valued;
  }

  /** It has not come as far as the step: those without a value are the same. */
  private drop({ value, chains }: Valued): void {
    this.ofValue.delete(value);
    chains.reset();
    this.spare = chains;
  }

  private takeIn(valued: Valued, without: Chains, instant: Instant, mayBegin: boolean): void {
    const { chains } = valued;
    if (chains.isDone) return;
    if (!this.isShared) {
      chains.take(instant, mayBegin);
      return;
    }
    chains.copyUpTo(this.step, without);
    chains.take(instant, mayBegin);
    const awaited = chains.stepsBeyond(this.step, instant.us);
    for (let rest = valued.awaited & ~awaited; rest !== 0; rest &= rest - 1) this.waitingFor(rest).delete(valued);
    for (let rest = awaited & ~valued.awaited; rest !== 0; rest &= rest - 1) this.waitingFor(rest).add(valued);
    valued.awaited = awaited;
  }

  /** Those that an instant can move on. */
  private woken(others: Instant): Iterable<Valued> {
    if (!this.isShared) return this.ofValue.values();
    this.wokenNow.length = 0;
    this.turn++;
    for (let rest = others.allSteps; rest !== 0; rest &= rest - 1) {
      for (const valued of this.waitingFor(rest)) {
        if (valued.turn === this.turn) continue;
        valued.turn = this.turn;
        this.wokenNow.push(valued);
      }
    }
    return this.wokenNow;
  }

  /** Of the first step of some. */
  private waitingFor(steps: number): Set<Valued> {
    return this.waiting[31 - Math.clz32(steps & -steps)]!;
  }
}
