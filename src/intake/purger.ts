import type { Catalog, CommittedPosition } from "../lake/mod.ts";
import type { Bus, QueueReader } from "../stream/mod.ts";
import { LANES, type Lane } from "../types/mod.ts";

const PURGE_MS = 5_000;

interface PurgerParts {
  bus: Pick<Bus, "isCluster" | "nextSequenceOf" | "purge" | "streamFacts">;
  catalog: Pick<Catalog, "committedPositions">;
  queue: Pick<QueueReader, "catchUp" | "lowestUnsettled">;
  generation: number;
}

/**
 * Removes settled frames from the streams: a purge of each lane below the lowest frame that is not settled, by the positions of
 * the look before (protocol rule 8). Partitions without traffic do not hold it up: the queue reader knows that no frame of
 * theirs waits.
 */
export class Purger {
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  private hurriedLooks = 0;
  private floors = new Map<Lane, number>();

  constructor(
    private readonly parts: PurgerParts,
    private readonly everyMs = PURGE_MS,
  ) {}

  /** There is more to purge, or a stream is full: the next two looks come at once, one to learn what is settled, one to purge it. */
  hurry(): void {
    this.hurriedLooks = 2;
  }

  /** The next look is to come at once. */
  get isHurried(): boolean {
    return this.hurriedLooks > 0;
  }

  async look(): Promise<void> {
    if (this.hurriedLooks > 0) this.hurriedLooks--;
    else if (performance.now() - this.lookedAtMs < this.everyMs) return;
    this.lookedAtMs = performance.now();
    const { bus, catalog, queue, generation } = this.parts;
    await queue.catchUp();
    const committed = await catalog.committedPositions(generation);
    const positions = new Map(committed.map((p) => [`${p.lane}/${p.partition}`, p.position]));
    const purges = LANES.map(async (lane) => {
      const settled = this.floors.get(lane);
      const floor = queue.lowestUnsettled(lane, (partition) => positions.get(`${lane}/${partition}`) ?? 0);
      this.floors.set(lane, floor);
      if (settled === undefined || settled <= 1) return;
      const kept = bus.isCluster ? await this.lowestKept(lane, committed) : settled;
      if (!(await bus.purge(lane, generation, Math.min(settled, kept)))) this.hurry();
    });
    for (const outcome of await Promise.allSettled(purges)) if (outcome.status === "rejected") throw outcome.reason;
  }

  /**
   * The lowest frame of a lane that is not settled, as the leader of the stream knows it. The queue reader of a cluster may have passed over
   * frames that a server which has just started did not have yet: nobody but a worker may decide that such a frame is done with.
   */
  private async lowestKept(lane: Lane, committed: readonly CommittedPosition[]): Promise<number> {
    const { bus, generation } = this.parts;
    const facts = await bus.streamFacts(lane, generation);
    const ofLane = committed.filter((p) => p.lane === lane);
    const next = await Promise.all(
      ofLane.map(({ partition, position }) => bus.nextSequenceOf({ lane, generation, partition, above: position })),
    );
    return Math.min((facts?.lastSequence ?? 0) + 1, ...next.filter((sequence) => sequence !== null));
  }
}
