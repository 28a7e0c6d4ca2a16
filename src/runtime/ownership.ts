import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { describeError, type Lane } from "../types/mod.ts";
import { OwnedPartition } from "./ownedPartition.ts";

/** Compressed frames that one reader holds ahead of the flush, at most. */
export interface BufferBytes {
  events: number;
  merges: number;
}

interface OwnershipParts {
  /** Of the worker. */
  id: string;
  catalog: Pick<Catalog, "claim" | "clearAttempts" | "handOver" | "owners">;
  bus: Pick<Bus, "reader">;
  readBufferBytes: BufferBytes;
  log(message: string): void;
}

export interface GenerationInUse {
  generation: number;
  partitions: number;
}

/**
 * The partitions that a worker has, and how they change hands. The sorted list of live members decides which worker should own a
 * partition; the newest epoch in the catalog says which one does.
 */
export class Ownership {
  /** Members have changed, or something was let go: the share is to be taken again. */
  isStale = true;
  private readonly owned = new Map<number, OwnedPartition>();

  constructor(private readonly parts: OwnershipParts) {}

  get numbers(): number[] {
    return [...this.owned.keys()];
  }

  get partitions(): OwnedPartition[] {
    return [...this.owned.values()];
  }

  /** Lets go of what belongs to others now and claims what is newly its own. Nothing may be in flight. */
  async takeShare({ generation, partitions }: GenerationInUse, members: readonly string[]): Promise<void> {
    this.isStale = false;
    const { catalog, bus, readBufferBytes, id, log } = this.parts;
    const share = shareOf(id, members, partitions);
    const room = (lane: Lane) => (lane === "identity" ? readBufferBytes.merges : readBufferBytes.events);
    try {
      const owners = new Map((await catalog.owners()).map(({ partition, owner }) => [partition, owner]));
      const isMine = (partition: number) => this.owned.has(partition) || owners.get(partition) === id;
      const all = Array.from({ length: partitions }, (_, partition) => partition);
      const others = all.filter((partition) => isMine(partition) && !share.has(partition));
      await this.handOver(generation, others);
      // What a living member still has it will hand over, as soon as it has seen this one. A claim before that would look
      // as if it had died in the middle of something.
      const isFree = (partition: number) => {
        const owner = owners.get(partition) ?? null;
        return owner === null || owner === id || !members.includes(owner);
      };
      const missing = [...share].filter((partition) => !this.owned.has(partition));
      const free = missing.filter(isFree);
      if (free.length < missing.length) this.isStale = true;
      if (free.length === 0) return;
      for (const claim of await catalog.claim({ owner: id, generation, partitions: free })) {
        const owned = new OwnedPartition(claim, (lane, partition, fromSequence) =>
          bus.reader({ lane, generation, partition, fromSequence, maxBufferBytes: room(lane) }),
        );
        this.owned.set(claim.epoch.partition, owned);
      }
    } catch (error) {
      this.isStale = true;
      throw error;
    }
    log(`owns partitions ${this.numbers.sort((a, b) => a - b).join(" ")} of generation ${generation}`);
  }

  /** A partition that another worker has claimed since; null where there is none. */
  async findLost(): Promise<number | null> {
    const epochs = new Map((await this.parts.catalog.owners()).map(({ partition, epoch }) => [partition, epoch]));
    const lost = this.partitions.find(({ epoch }) => epochs.get(epoch.partition) !== epoch.epoch);
    return lost?.epoch.partition ?? null;
  }

  /** Lanes that turn out to be empty did not kill anybody: a restart at rest must not lead to careful mode. */
  async forgetAttempts({ generation }: GenerationInUse): Promise<void> {
    const idle = this.partitions
      .flatMap(({ lanes }) => lanes)
      .filter(({ attempts, reader }) => attempts > 0 && reader.caughtUp && reader.buffered.length === 0);
    if (idle.length === 0) return;
    await this.parts.catalog.clearAttempts({ generation, lanes: idle });
    for (const lane of idle) lane.attempts = 0;
  }

  /** Hands everything over; where that fails the catalog finds this worker gone, or taking its share again. */
  async letGo(current: GenerationInUse | null): Promise<void> {
    if (current !== null) {
      const handing = this.handOver(current.generation, this.numbers);
      await handing.catch((error) => this.parts.log(`handing over: ${describeError(error)}`));
    }
    this.isStale = true;
  }

  /** Of a generation that is over: no other worker needs to be told. */
  forgetAll(): void {
    for (const partition of this.numbers) this.forget(partition);
    this.isStale = true;
  }

  /** Lets others have partitions; what this worker did not finish in them is no reason for care. */
  private async handOver(generation: number, partitions: readonly number[]): Promise<void> {
    if (partitions.length === 0) return;
    const lanes = partitions.flatMap((partition) => this.owned.get(partition)?.lanes ?? []);
    for (const partition of partitions) this.forget(partition);
    await this.parts.catalog.handOver({
      owner: this.parts.id,
      generation,
      partitions: [...partitions],
      untouched: lanes.filter(({ attempts }) => attempts > 0),
    });
  }

  private forget(partition: number): void {
    this.owned.get(partition)?.close();
    this.owned.delete(partition);
  }
}

/**
 * The partitions of one member, by bounded rendezvous hashing: every partition goes to the member that draws the highest
 * number for it and has room left, so that few change hands when somebody comes or goes, and nobody has more than the
 * average, rounded up. Every member computes the same from the sorted list. Empty when it is not in the list.
 */
export function shareOf(memberId: string, members: readonly string[], partitions: number): Set<number> {
  const room = Math.ceil(partitions / Math.max(1, members.length));
  const draws = Array.from({ length: partitions }, (_, partition) =>
    members.map((member) => ({ partition, member, draw: Bun.hash.xxHash32(`${partition} ${member}`) })),
  ).flat();
  draws.sort((a, b) => b.draw - a.draw || a.partition - b.partition || (a.member < b.member ? -1 : 1));
  const taken = new Set<number>();
  const shares = new Map(members.map((member) => [member, new Set<number>()]));
  for (const { partition, member } of draws) {
    const share = shares.get(member)!;
    if (taken.has(partition) || share.size >= room) continue;
    share.add(partition);
    taken.add(partition);
  }
  return shares.get(memberId) ?? new Set();
}
