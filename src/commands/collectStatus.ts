import type { Catalog, CatalogFacts } from "../lake/mod.ts";
import type { Bus } from "../stream/mod.ts";
import { EVENT_LANES, LANES, type Lane } from "../types/mod.ts";

/** One lane of a partition: how far it is committed, and up to where frames are stored. */
interface LaneStatus {
  position: number;
  last: number;
  /** Claims since the last commit; from 3 on the partition is in careful mode. */
  attempts: number;
}

export interface PartitionStatus {
  partition: number;
  owner: string | null;
  /** Whether the owner is among the living members. */
  alive: boolean;
  epoch: number;
  lanes: Record<Lane, LaneStatus>;
}

/** The state of a Weir at one moment, as `weir status --json` prints it. */
export interface Status {
  generation: number | null;
  state: string;
  members: string[];
  partitions: PartitionStatus[];
  /** Events accepted and not settled, and the age of the oldest. */
  queued: { events: number; lag_ms: number };
  files: CatalogFacts["files"];
  /** Ids of files that compaction has quarantined because a job failed on them. */
  set_aside: string[];
  dead_letters: number;
  outbox: number;
}

export async function readStatus(bus: Bus, catalog: Catalog, nowMs: number): Promise<Status> {
  const current = await catalog.currentGeneration();
  const members = await bus.members();
  const facts = await catalog.catalogFacts(current?.generation ?? 0);
  const rest = {
    members,
    files: facts.files,
    set_aside: facts.setAside,
    dead_letters: facts.deadLetters,
    outbox: facts.outbox,
  };
  if (current === null) {
    return { generation: null, state: "none", partitions: [], queued: { events: 0, lag_ms: 0 }, ...rest };
  }
  const { generation, state } = current;
  const owners = new Map((await catalog.owners()).map((owner) => [owner.partition, owner]));
  const partitions: PartitionStatus[] = [];
  for (let partition = 0; partition < current.partitions; partition++) {
    const { owner = null, epoch = 0 } = owners.get(partition) ?? {};
    const lanes = {} as Record<Lane, LaneStatus>;
    for (const lane of LANES) {
      const at = facts.positions.find((p) => p.lane === lane && p.partition === partition);
      const last = await bus.lastSequenceOf({ lane, generation, partition });
      lanes[lane] = { position: at?.position ?? 0, last, attempts: at?.attempts ?? 0 };
    }
    partitions.push({ partition, owner, alive: owner !== null && members.includes(owner), epoch, lanes });
  }
  return { generation, state, partitions, queued: await queuedOf(bus, facts, generation, nowMs), ...rest };
}

async function queuedOf(bus: Bus, facts: CatalogFacts, generation: number, nowMs: number): Promise<Status["queued"]> {
  const positionOf = (lane: Lane, partition: number) =>
    facts.positions.find((p) => p.lane === lane && p.partition === partition)?.position ?? 0;
  const lowest = (lane: Lane) =>
    Math.min(...facts.positions.filter((p) => p.lane === lane).map(({ position }) => position));
  const queue = await bus.queue({ generation, lanes: EVENT_LANES, fromSequence: lowest });
  try {
    await queue.catchUp();
    const teams = queue.above(positionOf);
    const events = teams.reduce((sum, team) => sum + team.events, 0);
    const oldestMs = Math.min(nowMs, ...teams.map((team) => team.oldestStoredAtMs));
    return { events, lag_ms: nowMs - oldestMs };
  } finally {
    queue.close();
  }
}
