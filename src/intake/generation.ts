import type { Config } from "../config.ts";
import type { Catalog, Generation } from "../lake/mod.ts";
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
export type GenerationBus = Pick<
  Bus,
  "deleteStream" | "ensureStream" | "lastSequenceOf" | "sealStream" | "streamFacts"
>;

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
  if (current === null) return openNext(bus, catalog, config, null);
  const { generation, partitions } = current;
  if (current.state === "open") {
    if (await isTrusted(bus, current, config)) return { state: "open", open: { generation, partitions } };
    await catalog.drainGeneration(generation);
  }
  // Sealed before it is looked at: what another front publishes then is refused, not stored behind the look.
  let isEmpty = true;
  for (const { lane, created } of current.streams) {
    const facts = await bus.streamFacts(lane, generation);
    if (facts !== null) await bus.sealStream(lane, generation);
    // A stream made anew holds nothing that the positions speak of.
    if (facts?.created === created && !(await isDrained(bus, catalog, generation, lane))) isEmpty = false;
  }
  if (!isEmpty) return { state: "draining" };
  // Drained: its room is needed for the next.
  for (const lane of LANES) await bus.deleteStream(lane, generation);
  return openNext(bus, catalog, config, generation);
}

async function isTrusted(bus: GenerationBus, { generation, streams }: Generation, config: Config): Promise<boolean> {
  for (const { lane, created, highestPosition } of streams) {
    const facts = await bus.streamFacts(lane, generation);
    if (facts?.created !== created || facts.lastSequence < highestPosition) return false;
  }
  for (const { lane, created } of streams) {
    const facts = await bus.ensureStream({ lane, generation, maxBytes: maxBytesOf(config, lane) });
    // Somebody has deleted it since, and this has made another one.
    if (facts.created !== created) return false;
  }
  return true;
}

/** Whether every partition of a lane has been worked off to the stream's end. */
async function isDrained(bus: GenerationBus, catalog: Catalog, generation: number, lane: Lane): Promise<boolean> {
  const positions = (await catalog.committedPositions(generation)).filter((p) => p.lane === lane);
  for (const { partition, position } of positions) {
    if ((await bus.lastSequenceOf({ lane, generation, partition })) > position) return false;
  }
  return true;
}

async function openNext(
  bus: GenerationBus,
  catalog: Catalog,
  config: Config,
  after: number | null,
): Promise<GenerationCheck> {
  const generation = (after ?? 0) + 1;
  const streams: { lane: Lane; created: string }[] = [];
  for (const lane of LANES) {
    const facts = await bus.ensureStream({ lane, generation, maxBytes: maxBytesOf(config, lane) });
    streams.push({ lane, created: facts.created });
  }
  const { partitions } = config;
  const isOurs = await catalog.openGeneration({ generation, after, partitions, streams, nowMs: Date.now() });
  // Otherwise another front was faster: the next look finds what it has opened.
  return isOurs ? { state: "open", open: { generation, partitions } } : { state: "draining" };
}
