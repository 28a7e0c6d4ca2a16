import type { Config } from "../config.ts";
import type { Catalog } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { LANES, type Lane } from "../types/mod.ts";

/** A generation that fronts publish to. */
export interface OpenGeneration {
  generation: number;
  partitions: number;
}

export type GenerationCheck =
  | { state: "open"; open: OpenGeneration }
  /** Its streams count differently than the catalog remembers: workers drain it, then the next is opened. */
  | { state: "draining" };

/** What is asked of the broker to tell its streams from others. */
export type GenerationBus = Pick<Bus, "deleteStream" | "ensureStream" | "lastSequenceOf" | "streamFacts">;

/** Room that a lane's stream reserves. */
export function maxBytesOf(config: Config, lane: Lane): number {
  return config[`${lane}StreamMaxBytes`];
}

/**
 * At boot and at every reconnect: are the streams the ones that the catalog's positions belong to (protocol rule 2)?
 * A stream made anew, or put back to an older state, would count from a smaller sequence, and readers would wait for
 * frames that come under numbers they believe settled.
 */
export async function checkGeneration(bus: GenerationBus, catalog: Catalog, config: Config): Promise<GenerationCheck> {
  const current = await catalog.currentGeneration();
  if (current === null) return { state: "open", open: await openNext(bus, catalog, config) };

  const { generation, partitions } = current;
  let trusted = current.state === "open";
  let isEmpty = true;
  for (const lane of LANES) {
    const known = current.streams.find((stream) => stream.lane === lane);
    const facts = await bus.streamFacts(lane, generation);
    const isSame = known !== undefined && facts !== null && facts.created === known.created;
    if (!isSame || facts.lastSequence < known.highestPosition) trusted = false;
    // A stream made anew holds nothing that the positions speak of.
    if (isSame && !(await isDrained(bus, catalog, generation, lane))) isEmpty = false;
  }
  if (trusted) {
    for (const lane of LANES) await bus.ensureStream({ lane, generation, maxBytes: maxBytesOf(config, lane) });
    return { state: "open", open: { generation, partitions } };
  }
  if (current.state === "open") await catalog.drainGeneration(generation);
  if (!isEmpty) return { state: "draining" };
  // Drained: its room is needed for the next.
  for (const lane of LANES) await bus.deleteStream(lane, generation);
  return { state: "open", open: await openNext(bus, catalog, config) };
}

/** Whether every partition of a lane has been worked off to the stream's end. */
async function isDrained(bus: GenerationBus, catalog: Catalog, generation: number, lane: Lane): Promise<boolean> {
  const positions = (await catalog.committedPositions(generation)).filter((p) => p.lane === lane);
  for (const { partition, position } of positions) {
    if ((await bus.lastSequenceOf({ lane, generation, partition })) > position) return false;
  }
  return true;
}

async function openNext(bus: GenerationBus, catalog: Catalog, config: Config): Promise<OpenGeneration> {
  const generation = await catalog.nextGenerationNumber();
  const streams: { lane: Lane; created: string }[] = [];
  for (const lane of LANES) {
    const facts = await bus.ensureStream({ lane, generation, maxBytes: maxBytesOf(config, lane) });
    streams.push({ lane, created: facts.created });
  }
  const opened = { generation, partitions: config.partitions, streams, nowMs: Date.now() };
  await catalog.openGeneration(opened);
  return { generation, partitions: config.partitions };
}
