import type { Membership, MembershipOptions } from "../../src/stream/mod.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

/** Leases at the broker: who has not been heard of for its lifetime is gone. */
export class Members {
  readonly expiresAtMs = new Map<string, number>();

  constructor(private readonly universe: Universe) {}

  living(): string[] {
    const { nowMs } = this.universe.scheduler;
    return [...this.expiresAtMs].filter(([, at]) => at > nowMs).map(([id]) => id);
  }
}

/** A member's side of its lease, as src/stream/membership.ts keeps it. */
export class SimMembership implements Membership {
  private seen: string[] = [];
  private provenAtMs = 0;
  private isNoted = false;
  private lossCount = 0;
  private hasLeft = false;
  private readonly expelled = new Set<string>();

  constructor(
    private readonly universe: Universe,
    private readonly process: Process,
    private readonly o: MembershipOptions,
  ) {}

  async begin(): Promise<this> {
    await this.universe.scheduler.point(this.process);
    this.provenAtMs = this.universe.scheduler.nowMs;
    this.beat();
    this.schedule();
    return this;
  }

  members(): string[] {
    return [...new Set([...this.seen, this.o.memberId])].sort();
  }

  get isLost(): boolean {
    return this.isNoted || this.universe.scheduler.nowMs - this.provenAtMs >= this.o.ttlMs;
  }

  get losses(): number {
    this.noteLoss();
    return this.lossCount;
  }

  async expel(members: readonly string[]): Promise<void> {
    for (const member of members) this.expelled.add(member);
    const before = this.seen.length;
    this.seen = this.seen.filter((member) => !this.expelled.has(member));
    if (this.seen.length < before) this.o.onChange();
    await this.universe.scheduler.point(this.process);
    for (const member of members) this.universe.members.expiresAtMs.delete(member);
  }

  async leave(): Promise<void> {
    this.hasLeft = true;
    await this.universe.scheduler.point(this.process);
    this.universe.members.expiresAtMs.delete(this.o.memberId);
  }

  private noteLoss(): void {
    if (this.isNoted || !this.isLost) return;
    this.isNoted = true;
    this.lossCount++;
  }

  private schedule(): void {
    this.universe.scheduler.after(this.o.ttlMs / 3, this.process, () => {
      if (this.hasLeft) return;
      this.beat();
      this.schedule();
    });
  }

  private beat(): void {
    const { scheduler, broker, members } = this.universe;
    const before = `${this.isLost} ${this.seen}`;
    if (broker.isUp) {
      this.noteLoss();
      this.provenAtMs = scheduler.nowMs;
      this.isNoted = false;
      members.expiresAtMs.set(this.o.memberId, scheduler.nowMs + this.o.ttlMs);
      this.seen = members.living().filter((member) => !this.expelled.has(member));
    } else this.noteLoss();
    if (before === `${this.isLost} ${this.seen}`) return;
    this.process.stir();
    this.o.onChange();
  }
}
