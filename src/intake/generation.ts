import type { Config } from "../config.ts";
import type { Catalog, Generation } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { LANES, type Lane } from "../types/mod.ts";

/** A generation that fronts publish to. */
export interface OpenGeneration {
  generation: number;
  partitions: number;
}

type GenerationCheck =
  | { state: "open"; open: OpenGeneration }
  /** Its streams do not fit the catalog's positions: workers drain it, then the next generation is opened. */
  | { state: "draining" };

/** The calls by which streams are told from others. */
type GenerationBus = Pick<
  Bus,
  "deleteStream" | "ensureStream" | "isCluster" | "lastSequenceOf" | "sealStream" | "streamFacts"
>;

const STEADY_MS = 3_000;
const STEADY_LOOK_MS = 250;

/** Bytes that the stream of a lane reserves. */
export function maxBytesOf(config: Config, lane: Lane): number {
  return config[`${lane}StreamMaxBytes`];
}

/**
 * Checks, at boot and at every reconnect, that the catalog's positions belong to these streams (protocol rule 2). A stream
 * that was made again, or put back to an older state, counts from a smaller sequence: its next frames would have numbers
 * that readers take for settled.
 */
export async function checkGeneration(bus: GenerationBus, catalog: Catalog, config: Config): Promise<GenerationCheck> {
  const current = await catalog.currentGeneration();
  if (current === null) return openNext(bus, catalog, config, null);
  const { generation, partitions } = current;
  if (current.state === "open") {
    if (await isTrusted(bus, current, config)) return { state: "open", open: { generation, partitions } };
    await catalog.drainGeneration(generation);
  }
  if (!(await steadily(bus, () => isEmptyOnceSealed(bus, catalog, current)))) return { state: "draining" };
  // Drained: the next generation needs its disk.
  for (const lane of LANES) await bus.deleteStream(lane, generation);
  return openNext(bus, catalog, config, generation);
}

async function isTrusted(bus: GenerationBus, { generation, streams }: Generation, config: Config): Promise<boolean> {
  for (const { lane, created, highestPosition } of streams) {
    const isOther = await steadily(bus, async () => {
      const facts = await bus.streamFacts(lane, generation);
      return facts?.created !== created || facts.lastSequence < highestPosition;
    });
    if (isOther) return false;
  }
  for (const { lane, created } of streams) {
    const facts = await bus.ensureStream({ lane, generation, maxBytes: maxBytesOf(config, lane) });
    // The stream was deleted since, and `ensureStream` has made another one.
    if (facts.created !== created) return false;
  }
  return true;
}

/**
 * Whether something holds; in a cluster it must hold for `STEADY_MS`. A server that begins to lead may say that a stream does not exist, or
 * give an older state of it, until it has caught up, and streams with frames in them must not be given up for that.
 */
async function steadily(bus: GenerationBus, holds: () => Promise<boolean>): Promise<boolean> {
  const endsAtMs = performance.now() + STEADY_MS;
  while (await holds()) {
    if (!bus.isCluster || performance.now() > endsAtMs) return true;
    await Bun.sleep(STEADY_LOOK_MS);
  }
  return false;
}

/** Seals the streams; whether none holds a frame that is to be settled. One that was made again holds none that the positions count. */
async function isEmptyOnceSealed(
  bus: GenerationBus,
  catalog: Catalog,
  { generation, streams }: Generation,
): Promise<boolean> {
  // Before the look: the broker then refuses frames of other fronts instead of storing them behind the look.
  for (const { lane } of streams) await bus.sealStream(lane, generation);
  for (const { lane, created } of streams) {
    const facts = await bus.streamFacts(lane, generation);
    if (facts?.created === created && !(await isDrained(bus, catalog, generation, lane))) return false;
  }
  return true;
}

/** Whether every partition of a lane is settled to the end of the stream. */
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
  const opened = { generation, after, partitions: config.partitions, streams, nowMs: Date.now() };
  const partitions = await catalog.openGeneration(opened);
  // Otherwise another front was faster: the next look finds its generation.
  return partitions === null ? { state: "draining" } : { state: "open", open: { generation, partitions } };
}
