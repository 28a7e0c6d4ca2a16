import { version } from "../../package.json";
import type { Catalog, CatalogFacts } from "../lake/mod.ts";
import type { Bus, QueueReader } from "../stream/mod.ts";
import { LANES, type Lane } from "../types/mod.ts";
import type { DiskRoom } from "./disk.ts";
import { type IngestionStatus, ingestionStatuses } from "./ingestionStatus.ts";

/** One lane of a partition: how far it is committed, and up to where frames are stored. */
interface LaneStatus {
  position: number;
  last: number;
  /** Claims since the last commit; from 3 on the partition is in careful mode. */
  attempts: number;
  /** Age of the oldest frame behind the position; 0 when nothing waits. */
  lag_ms: number;
}

export interface PartitionStatus {
  partition: number;
  owner: string | null;
  /** Whether the owner is among the living members. */
  alive: boolean;
  epoch: number;
  lanes: Record<Lane, LaneStatus>;
}

/** The state of a Weir at one moment, as `weir status --json` prints it and the API shows it. */
export interface InstallationStatus {
  generation: number | null;
  state: string;
  /** Ids of the workers that are alive. */
  members: string[];
  partitions: PartitionStatus[];
  /** The equation over all projects; null where no event was ever taken. */
  events: IngestionStatus | null;
  /** Events accepted and not settled, and the age of the oldest; as in `events`. */
  queued: { events: number; lag_ms: number };
  files: CatalogFacts["files"];
  /** Ids of files that compaction has quarantined because a job failed on them. */
  set_aside: string[];
  /** Jobs of compactors under way, the oldest first. */
  compactions: { compactor: string; kind: string; files: number; began_at_ms: number }[];
  /** How often compaction has failed so far, by kind of work; the newest first. Failed work is tried again. */
  compaction_failures: { kind: string; failures: number; last_at_ms: number; last_error: string }[];
  /** What is in quarantine and was not sent in again: events, and requests about persons. */
  dead_letters: number;
  outbox: number;
  /** Of the data folder of the process that answers. */
  disk: { free_bytes: number; total_bytes: number };
  versions: { weir: string; bun: string; broker: string | null; store: "sqlite" | "postgres" };
}

export interface InstallationParts {
  bus: Bus;
  catalog: Catalog;
  /** One that is open; where it is null, or of another generation, one is opened for this answer. */
  queue: { reader: QueueReader; generation: number } | null;
  disk: DiskRoom;
}

/** Throws RetryableError `broker_unavailable`, and as `QueueReader` does. */
export async function readInstallation(parts: InstallationParts, nowMs: number): Promise<InstallationStatus> {
  const { bus, catalog, disk } = parts;
  const current = await catalog.currentGeneration();
  const members = await bus.members();
  const facts = await catalog.catalogFacts(current?.generation ?? 0);
  const read =
    current === null
      ? null
      : await withQueue(parts, facts, current.generation, async (queue) => {
          const { total } = await ingestionStatuses({ catalog, queue, generation: current.generation }, nowMs);
          return { total, partitions: await partitionsOf(parts, { ...current, members, facts, queue, nowMs }) };
        });
  const events = read?.total ?? null;
  return {
    generation: current?.generation ?? null,
    state: current?.state ?? "none",
    members,
    partitions: read?.partitions ?? [],
    events,
    queued: { events: events?.queued ?? 0, lag_ms: events?.lag_ms ?? 0 },
    files: facts.files,
    set_aside: facts.setAside,
    compactions: facts.jobs.map(({ holder, kind, inputs, beganAtMs }) => {
      return { compactor: holder, kind, files: inputs.length, began_at_ms: beganAtMs };
    }),
    compaction_failures: facts.compactionFailures.map(({ kind, failures, lastAtMs, lastError }) => {
      return { kind, failures, last_at_ms: lastAtMs, last_error: lastError };
    }),
    dead_letters: facts.deadLetters,
    outbox: facts.outbox,
    disk: { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
    versions: { weir: version, bun: Bun.version, broker: bus.serverVersion, store: catalog.dialect },
  };
}

async function partitionsOf(
  { bus, catalog }: InstallationParts,
  o: {
    generation: number;
    partitions: number;
    members: readonly string[];
    facts: CatalogFacts;
    queue: QueueReader;
    nowMs: number;
  },
): Promise<PartitionStatus[]> {
  const { generation, members, facts, queue, nowMs } = o;
  const owners = new Map((await catalog.owners()).map((owner) => [owner.partition, owner]));
  const laneOf = async (lane: Lane, partition: number): Promise<LaneStatus> => {
    const at = facts.positions.find((p) => p.lane === lane && p.partition === partition);
    const last = await bus.lastSequenceOf({ lane, generation, partition });
    const { position = 0, attempts = 0 } = at ?? {};
    const oldestMs = queue.oldestStoredAtMs(lane, partition, position) ?? nowMs;
    return { position, last, attempts, lag_ms: Math.max(0, nowMs - oldestMs) };
  };
  const partitions: PartitionStatus[] = [];
  for (let partition = 0; partition < o.partitions; partition++) {
    const { owner = null, epoch = 0 } = owners.get(partition) ?? {};
    const found = await Promise.all(LANES.map(async (lane) => [lane, await laneOf(lane, partition)] as const));
    const lanes = Object.fromEntries(found) as Record<Lane, LaneStatus>;
    partitions.push({ partition, owner, alive: owner !== null && members.includes(owner), epoch, lanes });
  }
  return partitions;
}

/** Gives the reader of a generation that is open, or one that is opened for `read`. */
async function withQueue<T>(
  { bus, queue: open }: InstallationParts,
  facts: CatalogFacts,
  generation: number,
  read: (queue: QueueReader) => Promise<T>,
): Promise<T> {
  const lowest = (lane: Lane) =>
    Math.min(...facts.positions.filter((p) => p.lane === lane).map(({ position }) => position));
  if (open?.generation === generation) return read(open.reader);
  const queue = await bus.queue({ generation, lanes: LANES, fromSequence: lowest });
  try {
    return await read(queue);
  } finally {
    queue.close();
  }
}
