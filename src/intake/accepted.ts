import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { LANES, type Lane, RetryableError } from "../types/mod.ts";

/** What is accepted by now: of each lane and partition the sequence of the last frame. */
export interface AcceptedSoFar {
  generation: number;
  sequences: { lane: Lane; partition: number; sequence: number }[];
}

/** Throws RetryableError `streams_unavailable` before the first start. */
export async function acceptedSoFar(parts: {
  catalog: Pick<Catalog, "currentGeneration">;
  bus: Pick<Bus, "lastSequenceOf">;
}): Promise<AcceptedSoFar> {
  const current = await parts.catalog.currentGeneration();
  if (current === null) throw new RetryableError("streams_unavailable", "the event streams are being prepared");
  const { generation, partitions } = current;
  const places = LANES.flatMap((lane) => Array.from({ length: partitions }, (_, partition) => ({ lane, partition })));
  const sequences = await Promise.all(
    places.map(async (at) => ({ ...at, sequence: await parts.bus.lastSequenceOf({ ...at, generation }) })),
  );
  return { generation, sequences: sequences.filter(({ sequence }) => sequence > 0) };
}
