import { type Catalog, type Commit, CommitRefused, type DuplicateIndex, type SegmentWriter } from "../lake/mod.ts";
import { describeError, RetryableError } from "../types/mod.ts";
import type { Actor, Delivered, StoredRow } from "./actor.ts";
import { Batch } from "./batch.ts";
import { isKiller, type Take } from "./ownedPartition.ts";
import { runActors } from "./step.ts";

export interface FlushTools {
  owner: string;
  generation: number;
  catalog: Catalog;
  writer: SegmentWriter;
  duplicates: DuplicateIndex;
  /** Brings `duplicates` up to what the catalog holds now. */
  refreshDuplicates(): Promise<void>;
  actors: readonly Actor[];
  log(message: string): void;
}

export interface FlushResult {
  stored: number;
  duplicates: number;
  deadLetters: number;
}

/** Longer than any flush; the pin goes with the flush, this only bounds what a dead worker leaves. */
const HOLD_FILES_MS = 600_000;

/**
 * One flush: decode, drop duplicates, run the actors, write one segment, commit. Memory is changed only after the
 * commit is confirmed (protocol rule 10). Throws CommitRefused when this worker has become stale: nothing happened.
 */
export async function flush(tools: FlushTools, takes: readonly Take[]): Promise<FlushResult> {
  const batch = new Batch();
  for (const take of takes) for (const frame of take.frames) batch.add(frame);
  const tryable = setKillersAside(batch, takes);

  const pinId = await tools.catalog.holdFiles(HOLD_FILES_MS);
  try {
    await tools.refreshDuplicates();
    const fresh = await dropDuplicates(tools, batch, tryable);
    const { rows, failed } = runActors(tools.actors, fresh);
    for (const { at, detail } of failed) batch.setAside(at, "actor_failed", detail);
    return await store(tools, batch, rows, takes);
  } finally {
    await tools.catalog.unpin(pinId);
  }
}

/** Gives the events that may be tried. */
function setKillersAside(batch: Batch, takes: readonly Take[]): Delivered[] {
  if (takes.every(({ from }) => from.poisoned.length === 0)) return batch.delivered;
  const lanes = takes.map(({ from }) => from);
  return batch.delivered.filter((at) => {
    const killer = lanes.some((lane) => isKiller(lane, at));
    if (killer) batch.setAside(at, "killed_the_worker", "the worker died while it was tried alone");
    return !killer;
  });
}

async function dropDuplicates(tools: FlushTools, batch: Batch, delivered: Delivered[]): Promise<Delivered[]> {
  const marks = await tools.duplicates.check(delivered.map((at) => at.event));
  const fresh: Delivered[] = [];
  for (const [i, at] of delivered.entries()) {
    if (marks[i] === 1) batch.countsOf(at.event.teamId).duplicates++;
    else fresh.push(at);
  }
  return fresh;
}

async function store(tools: FlushTools, batch: Batch, rows: StoredRow[], takes: readonly Take[]): Promise<FlushResult> {
  const epochs = [...new Map(takes.map(({ from }) => [from.partition, from.epoch])).values()];
  const segmentId = crypto.randomUUID();
  const { generation, catalog } = tools;
  const written = rows.length === 0 ? null : await writeSegment(tools, segmentId, rows, batch, epochs);
  const segment = written?.facts ?? null;
  const rejected = new Set(written?.rejected);
  for (const row of rows) if (!rejected.has(row)) batch.countsOf(row.teamId).stored++;

  const facts: Commit = {
    id: crypto.randomUUID(),
    generation,
    epochs,
    moves: takes.map(({ from, frames }) => ({
      lane: from.lane,
      partition: from.partition,
      from: from.position,
      to: frames.at(-1)!.sequence,
      lastMs: from.lastMs,
    })),
    segments: segment === null ? [] : [segment],
    identities: [],
    usage: [],
    states: [],
    messages: [],
    counts: batch.settledCounts(),
    deadLetters: batch.deadLetters,
    warnings: batch.warnings,
  };
  try {
    await commitSurely(catalog, facts, tools.log);
  } catch (error) {
    await catalog.abandon([segmentId]);
    throw error;
  }
  if (segment !== null) await tools.duplicates.adopt(segment);
  else if (rows.length > 0) await catalog.abandon([segmentId]);
  for (const { from, frames } of takes) {
    from.position = frames.at(-1)!.sequence;
    from.attempts = 0;
    from.poisoned = [];
    from.reader.drop(from.position);
  }
  return summary(facts);
}

async function writeSegment(
  tools: FlushTools,
  segmentId: string,
  rows: StoredRow[],
  batch: Batch,
  epochs: Commit["epochs"],
) {
  const { owner, generation, catalog, writer } = tools;
  await catalog.registerPending({ ids: [segmentId], writer: owner, generation, epochs });
  const o = { generation, level: 0, partitions: partitionsIn(rows) };
  const written = await writer.write(segmentId, rows, o).catch(async (error: unknown) => {
    await catalog.abandon([segmentId]);
    throw error;
  });
  for (const { row, reason } of written.rejected) {
    batch.setAside((row as StoredRow).source, "refused_by_storage", reason);
  }
  return { facts: written.facts, rejected: written.rejected.map(({ row }) => row) };
}

function partitionsIn(rows: readonly StoredRow[]): number[] {
  return [...new Set(rows.map((row) => row.source.partition))].sort((a, b) => a - b);
}

/** Commits; where the outcome is unknown, asks the catalog until it is known. */
async function commitSurely(catalog: Catalog, facts: Commit, log: (message: string) => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await catalog.commit(facts);
      return;
    } catch (error) {
      if (error instanceof CommitRefused) {
        if (attempt > 1 && (await catalog.isCommitted(facts.id))) return;
        throw error;
      }
      log(`commit ${facts.id}: outcome unknown (${describeError(error)}), asking again`);
      if (attempt >= 100)
        throw new RetryableError("store_unreachable", "the record store does not answer", { cause: error });
      await Bun.sleep(Math.min(1000, 20 * attempt));
    }
  }
}

function summary(facts: Commit): FlushResult {
  return {
    stored: facts.counts.reduce((sum, team) => sum + team.stored, 0),
    duplicates: facts.counts.reduce((sum, team) => sum + team.duplicates, 0),
    deadLetters: facts.deadLetters.length,
  };
}
