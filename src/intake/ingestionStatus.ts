import type { Catalog } from "../lake/mod.ts";
import type { QueueReader } from "../stream/mod.ts";
import type { DropCause } from "../types/mod.ts";

/** Where the events of a project are. `accepted` is the sum of the five that follow it. */
export type IngestionStatus = {
  accepted: number;
  queued: number;
  stored: number;
  duplicates: number;
  dropped: number;
  dead_letters: number;
  dropped_by_cause: Partial<Record<DropCause, number>>;
  /** Age of the oldest event that is not settled; 0 when nothing is queued. */
  lag_ms: number;
};

/**
 * Exact across restarts and kills (protocol rule 5): settled counts come from the catalog, queued counts from the headers of
 * the frames above the positions of the same snapshot.
 */
export async function ingestionStatus(
  parts: { catalog: Catalog; queue: QueueReader; generation: number },
  teamId: number,
  nowMs: number,
): Promise<IngestionStatus> {
  await parts.queue.catchUp();
  const settled = await parts.catalog.settledCounts(teamId, parts.generation);
  const positions = new Map(settled.positions.map((p) => [`${p.lane}/${p.partition}`, p.position]));
  const queued = parts.queue
    .above((lane, partition) => positions.get(`${lane}/${partition}`) ?? 0)
    .find((team) => team.teamId === teamId);

  const dropped = sum(Object.values(settled.dropped));
  const inFrames = queued === undefined ? 0 : queued.events + sum(Object.values(queued.dropped));
  const waiting = inFrames + settled.merging;
  return {
    accepted: waiting + settled.stored + settled.duplicates + dropped + settled.deadLetters,
    queued: waiting,
    stored: settled.stored,
    duplicates: settled.duplicates,
    dropped,
    dead_letters: settled.deadLetters,
    dropped_by_cause: settled.dropped,
    lag_ms: queued === undefined ? 0 : Math.max(0, nowMs - queued.oldestStoredAtMs),
  };
}

function sum(numbers: (number | undefined)[]): number {
  return numbers.reduce<number>((total, n) => total + (n ?? 0), 0);
}
