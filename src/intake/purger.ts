import type { Catalog } from "../lake/mod.ts";
import type { Bus, QueueReader } from "../stream/mod.ts";
import { LANES, type Lane } from "../types/mod.ts";

const PURGE_MS = 5_000;

interface PurgerParts {
  bus: Pick<Bus, "purge">;
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
  private lookedAtMs = 0;
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
    else if (Date.now() - this.lookedAtMs < this.everyMs) return;
    this.lookedAtMs = Date.now();
    const { bus, catalog, queue, generation } = this.parts;
    await queue.catchUp();
    const positions = new Map<string, number>();
    for (const p of await catalog.committedPositions(generation)) positions.set(`${p.lane}/${p.partition}`, p.position);
    const purges = LANES.map(async (lane) => {
      const settled = this.floors.get(lane);
      const floor = queue.lowestUnsettled(lane, (partition) => positions.get(`${lane}/${partition}`) ?? 0);
      this.floors.set(lane, floor);
      if (settled === undefined || settled <= 1) return;
      if (!(await bus.purge(lane, generation, settled))) this.hurry();
    });
    for (const outcome of await Promise.allSettled(purges)) if (outcome.status === "rejected") throw outcome.reason;
  }
}
