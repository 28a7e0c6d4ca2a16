import type { Catalog, SettledTeam } from "../lake/mod.ts";
import type { Queued, QueueReader } from "../stream/mod.ts";
import { type DropCause, LANES, type Lane, RetryableError } from "../types/mod.ts";

/** What waits on one lane. */
interface LaneQueue {
  queued: number;
  /** Age of the oldest frame that is not settled; 0 when nothing waits. */
  lag_ms: number;
}

/** Where the events of a project are, or of all. `accepted` is the sum of the five that follow it. */
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
  /** `queued` by lane. On `identity`: stored events whose merge is not settled; its lag is that of all that merges. */
  lanes: Record<Lane, LaneQueue>;
};

/** What the figures are read from. */
export interface StatusParts {
  catalog: Catalog;
  queue: QueueReader;
  generation: number;
}

/** How often positions are read again that were purged meanwhile. */
const TRIES = 3;

/** Of one project. Throws RetryableError, as `QueueReader` does. */
export async function ingestionStatus(parts: StatusParts, teamId: number, nowMs: number): Promise<IngestionStatus> {
  const { teams } = await ingestionStatuses(parts, nowMs, teamId);
  return teams.get(teamId) ?? statusOf(undefined, undefined, nowMs);
}

/**
 * Of every project with events, and of all together. Exact across restarts and kills (protocol rule 5): settled counts come
 * from the catalog, queued counts from the headers of the frames above the positions of the same snapshot. `onlyTeam`: of one
 * project alone. Throws RetryableError, as `QueueReader` does.
 */
export async function ingestionStatuses(
  { catalog, queue, generation }: StatusParts,
  nowMs: number,
  onlyTeam: number | null = null,
): Promise<{ teams: Map<number, IngestionStatus>; total: IngestionStatus }> {
  for (let attempt = 1; ; attempt++) {
    await queue.catchUp();
    const settled = await catalog.allSettled(generation, onlyTeam);
    const positions = new Map(settled.positions.map((p) => [`${p.lane}/${p.partition}`, p.position]));
    try {
      const lanes = queue.lanesAbove((lane, partition) => positions.get(`${lane}/${partition}`) ?? 0);
      return put(settled.teams, lanes, nowMs, onlyTeam);
    } catch (error) {
      const isOld = error instanceof RetryableError && error.code === "positions_too_old";
      if (!isOld || attempt === TRIES) throw error;
    }
  }
}

type LanesOfTeam = Map<Lane, Queued>;

function put(
  settled: ReadonlyMap<number, SettledTeam>,
  lanes: ReadonlyMap<Lane, Queued[]>,
  nowMs: number,
  onlyTeam: number | null,
) {
  const waiting = new Map<number, LanesOfTeam>();
  for (const [lane, queued] of lanes) {
    for (const one of queued) waiting.getOrInsertComputed(one.teamId, () => new Map()).set(lane, one);
  }
  const teams = new Map<number, IngestionStatus>();
  for (const teamId of new Set([...settled.keys(), ...waiting.keys()])) {
    if (onlyTeam !== null && teamId !== onlyTeam) continue;
    teams.set(teamId, statusOf(settled.get(teamId), waiting.get(teamId), nowMs));
  }
  const total = statusOf(undefined, undefined, nowMs);
  for (const status of teams.values()) addTo(total, status);
  return { teams, total };
}

function statusOf(settled: SettledTeam | undefined, waiting: LanesOfTeam | undefined, nowMs: number): IngestionStatus {
  const merging = settled?.merging ?? 0;
  const laneOf = (lane: Lane): LaneQueue => {
    const found = waiting?.get(lane);
    const queued = lane === "identity" ? merging : found === undefined ? 0 : found.events + sum(found.dropped);
    return { queued, lag_ms: found === undefined ? 0 : Math.max(0, nowMs - found.oldestStoredAtMs) };
  };
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, laneOf(lane)])) as Record<Lane, LaneQueue>;
  const queued = LANES.reduce((total, lane) => total + lanes[lane].queued, 0);
  const { stored = 0, duplicates = 0, deadLetters = 0, dropped: causes = {} } = settled ?? {};
  const dropped = sum(causes);
  return {
    accepted: queued + stored + duplicates + dropped + deadLetters,
    queued,
    stored,
    duplicates,
    dropped,
    dead_letters: deadLetters,
    dropped_by_cause: causes,
    lag_ms: Math.max(...LANES.filter((lane) => lanes[lane].queued > 0).map((lane) => lanes[lane].lag_ms), 0),
    lanes,
  };
}

const COUNTS = ["accepted", "queued", "stored", "duplicates", "dropped", "dead_letters"] as const;

function addTo(total: IngestionStatus, one: IngestionStatus): void {
  for (const name of COUNTS) total[name] += one[name];
  total.lag_ms = Math.max(total.lag_ms, one.lag_ms);
  for (const lane of LANES) {
    total.lanes[lane].queued += one.lanes[lane].queued;
    total.lanes[lane].lag_ms = Math.max(total.lanes[lane].lag_ms, one.lanes[lane].lag_ms);
  }
  const causes = { ...total.dropped_by_cause };
  for (const [cause, events] of Object.entries(one.dropped_by_cause) as [DropCause, number][]) {
    causes[cause] = (causes[cause] ?? 0) + events;
  }
  total.dropped_by_cause = causes;
}

function sum(counts: Partial<Record<DropCause, number>>): number {
  return Object.values(counts).reduce<number>((total, n) => total + (n ?? 0), 0);
}
