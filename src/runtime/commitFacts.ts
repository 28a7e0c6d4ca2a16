import type { StoredRow } from "../../actors/contract.ts";
import type { Commit, Epoch, OutboxMessage, SegmentFacts, UsageCount } from "../lake/mod.ts";
import { identityPartitionOf } from "../stream/mod.ts";
import { DAY_MS, dayOf } from "../types/mod.ts";
import type { Batch } from "./batch.ts";
import type { FlushTools } from "./flushTools.ts";
import type { LaneClock } from "./laneClock.ts";
import type { Take } from "./ownedPartition.ts";
import type { Outcome } from "./step.ts";

/** The result of a flush. */
interface Flushed {
  batch: Batch;
  takes: readonly Take[];
  /** Of each take. */
  clocks: readonly LaneClock[];
  outcome: Outcome;
  segments: SegmentFacts[];
  /** The version of the newest erasure that it has followed. */
  erasedThrough: number;
}

/** All that one transaction makes true. */
export function commitFacts(
  tools: FlushTools,
  { batch, takes, clocks, outcome, segments, erasedThrough }: Flushed,
): Commit {
  return {
    id: tools.world.newId(),
    generation: tools.generation,
    erasedThrough,
    epochs: epochsOf(takes),
    moves: takes.map(({ from: { lane, partition, position }, frames }, i) => {
      return { lane, partition, from: position, to: frames.at(-1)!.sequence, lastMs: clocks[i]!.lastMs };
    }),
    segments,
    identities: outcome.identities,
    usage: usageOf(outcome.rows),
    states: outcome.states.map(({ actor, at: { event }, state }) => {
      return { actor, teamId: event.teamId, distinctId: event.distinctId, state: JSON.stringify(state) };
    }),
    messages: messagesOf(outcome, tools.generation),
    merging: mergingOf(outcome.rows, tools.partitions),
    counts: batch.settledCounts(),
    deadLetters: batch.deadLetters,
    warnings: batch.warnings,
    definitions: { seen: tools.definitions.find(outcome, tools.world.nowMs()), max: tools.limits.definitionsMax },
  };
}

/** Under which the partitions of a flush are owned. */
export function epochsOf(takes: readonly Take[]): Epoch[] {
  return [...new Map(takes.map(({ from }) => [from.partition, from.epoch])).values()];
}

/** A message is known by its source's place: the same source gives the same ids, however often it is worked on. */
function messagesOf({ messages }: Outcome, generation: number): OutboxMessage[] {
  const counts = new Map<string, number>();
  return messages.map(({ at, target, body }) => {
    const source = `${generation}.${at.lane}.${at.sequence}.${at.index}`;
    const n = counts.get(source) ?? 0;
    counts.set(source, n + 1);
    const { partition, event } = at;
    return { messageId: `${source}.${n}`, teamId: event.teamId, partition, target, body: JSON.stringify(body) };
  });
}

/** Stored events whose merge may not be settled yet, by the frame of its copy. A frame of the identity lane is of one partition. */
function mergingOf(rows: readonly StoredRow[], partitions: number): Commit["merging"] {
  const merging = new Map<string, Commit["merging"][number]>();
  for (const { teamId, source } of rows) {
    const sequence = source.event.mergeSequence;
    if (sequence === 0) continue;
    const partition = identityPartitionOf(teamId, partitions);
    merging.getOrInsertComputed(`${teamId} ${sequence}`, () => ({ teamId, partition, sequence, events: 0 })).events++;
  }
  return [...merging.values()];
}

/** Events of a migration younger than this are counted once more, for comparison; they are never charged. */
const RECENT_MS = 2 * DAY_MS;

/** What stored rows add to the usage of their projects, by day of acceptance. */
function usageOf(rows: readonly StoredRow[]): UsageCount[] {
  const counts = new Map<string, UsageCount>();
  const add = (teamId: number, day: number, kind: UsageCount["kind"]): void => {
    const key = `${teamId} ${day} ${kind}`;
    const count = counts.get(key);
    if (count === undefined) counts.set(key, { teamId, day, kind, events: 1 });
    else count.events++;
  };
  for (const { teamId, createdAtMs, lane, timestampMs } of rows) {
    const day = dayOf(createdAtMs);
    add(teamId, day, lane === "history" ? "historical" : "billable");
    if (lane === "history" && createdAtMs - timestampMs < RECENT_MS) add(teamId, day, "historical_recent");
  }
  return [...counts.values()];
}
