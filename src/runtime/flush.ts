import type { Delivered } from "../../actors/contract.ts";
import { type BegunCommit, type Commit, CommitRefused, ErasedMeanwhile, type SegmentFacts } from "../lake/mod.ts";
import { AssertionFailed, describeError, RetryableError } from "../types/mod.ts";
import { Batch } from "./batch.ts";
import { commitFacts, epochsOf } from "./commitFacts.ts";
import type { FlushTools } from "./flushTools.ts";
import type { LaneClock } from "./laneClock.ts";
import { isKiller, type OwnedLane, type Take } from "./ownedPartition.ts";
import { type Outcome, runActors } from "./step.ts";
import { writeSegments } from "./writeSegments.ts";

export interface FlushResult {
  stored: number;
  duplicates: number;
  deadLetters: number;
}

/** Longer than any flush; the pin goes with the flush, this only bounds the pins that a dead worker leaves. */
const HOLD_FILES_MS = 600_000;

/**
 * One flush: decode, drop duplicates, run the actors, write one segment of each kind, commit. Memory is changed only after
 * the commit is confirmed (protocol rule 10). Throws CommitRefused when this worker has become stale: nothing happened.
 */
export async function flush(tools: FlushTools, takes: readonly Take[]): Promise<FlushResult> {
  const { erasures } = tools;
  const { batch, clocks } = decode(takes);
  await erasures.refresh();
  const knownVersion = erasures.version;
  const kept = erasures.leaveOut(batch, batch.delivered, tools.generation);
  const tryable = setKillersAside(batch, kept, takes);
  const pinId = await tools.catalog.holdFiles(HOLD_FILES_MS);
  try {
    let rest = await dropDuplicates(tools, batch, tryable);
    for (;;) {
      const tried = await tryAll(tools, { batch, takes, clocks, knownVersion }, rest);
      if ("result" in tried) return tried.result;
      rest = tried.rest;
    }
  } finally {
    await tools.catalog.unpin(pinId);
  }
}

interface Decoded {
  batch: Batch;
  takes: readonly Take[];
  /** Of each take. */
  clocks: readonly LaneClock[];
  /** Of the erasures that the batch has followed. */
  knownVersion: number;
}

/**
 * Runs the actors, writes what comes of it and commits. A row that storage refuses becomes a dead letter, and its event is not in the
 * rest, which is to be tried anew, so that nothing of it remains.
 */
async function tryAll(
  tools: FlushTools,
  { batch, takes, clocks, knownVersion }: Decoded,
  events: readonly Delivered[],
): Promise<{ result: FlushResult } | { rest: readonly Delivered[] }> {
  const outcome = await runActors(tools.actors, events, tools);
  await using begun = tools.catalog.beginCommit(outcome.identities);
  const { segments, refused, ids } = await writeSegments(tools, outcome, epochsOf(takes));
  if (refused.length > 0) {
    await tools.catalog.abandon(ids);
    for (const { row, reason } of refused) batch.setAside(row.source, "refused_by_storage", reason);
    const places = new Set(refused.map(({ row }) => place(row.source)));
    return { rest: events.filter((at) => !places.has(place(at))) };
  }
  note(batch, outcome);
  const erasedThrough = await checkOutdated(tools, batch, { segments, knownVersion });
  const facts = commitFacts(tools, { batch, takes, clocks, outcome, segments, erasedThrough });
  await commitSurely(tools, facts, begun);
  await adopt(tools, facts, outcome, takes, clocks);
  return { result: summary(facts) };
}

/** What the actors did counts once all their rows are written. */
function note(batch: Batch, { rows, failed, dropped, warnings }: Outcome): void {
  for (const { at, detail } of failed) batch.setAside(at, "actor_failed", detail);
  for (const { at, cause } of dropped) batch.drop(at, cause);
  for (const { warning, actor } of warnings) batch.warn(warning, actor);
  for (const row of rows) batch.countsOf(row.teamId).stored++;
}

/**
 * What was written is given up when it is not, or not any more, what should be committed. Gives the version of the newest
 * erasure, which nothing in the batch is met by.
 */
async function checkOutdated(
  { catalog, erasures, isCurrent }: FlushTools,
  { delivered }: Batch,
  { segments, knownVersion }: { segments: readonly SegmentFacts[]; knownVersion: number },
): Promise<number> {
  const { version, isMet } = await erasures.lookSince(knownVersion, delivered);
  if (isCurrent() && !isMet) return version;
  await catalog.abandon(segments.map(({ id }) => id));
  if (isMet) throw new RetryableError("erased_meanwhile", "something of it was deleted while it was written");
  throw new RetryableError("frames_outdated", "the connection to the broker was lost since the frames were read");
}

/** The clocks are copies: they count only when the commit has happened. */
function decode(takes: readonly Take[]): { batch: Batch; clocks: LaneClock[] } {
  const batch = new Batch();
  const clocks = takes.map(({ from, frames }) => {
    const clock = { lastMs: from.lastMs };
    for (const frame of frames) batch.add(frame, clock);
    return clock;
  });
  return { batch, clocks };
}

/** Gives the events that may be tried. */
function setKillersAside(batch: Batch, kept: readonly Delivered[], takes: readonly Take[]): readonly Delivered[] {
  if (takes.every(({ from }) => from.poisoned.length === 0)) return kept;
  const lanes = takes.map(({ from }) => from);
  return kept.filter((at) => {
    const killer = lanes.some((lane) => isKiller(lane, at));
    if (killer) batch.setAside(at, "killed_the_worker", "three workers died while it was tried alone");
    return !killer;
  });
}

/** Messages of the identity lane are not stored, and a copy changes nothing. */
async function dropDuplicates(
  tools: FlushTools,
  batch: Batch,
  delivered: readonly Delivered[],
): Promise<readonly Delivered[]> {
  if (delivered.every(({ lane }) => lane === "identity")) return delivered;
  const marks = await tools.duplicates.mark(delivered.map((at) => at.event));
  const fresh: Delivered[] = [];
  for (const [i, at] of delivered.entries()) {
    if (marks[i] === 1) batch.countsOf(at.event.teamId).duplicates++;
    else fresh.push(at);
  }
  return fresh;
}

function place({ lane, sequence, index }: Delivered): string {
  return `${lane} ${sequence} ${index}`;
}

/** Commits; where the outcome is unknown, asks the catalog until it is known. What was begun is used once. */
async function commitSurely({ catalog, log, world }: FlushTools, facts: Commit, begun: BegunCommit | null) {
  for (let attempt = 1; ; attempt++) {
    try {
      await catalog.commit(facts, attempt === 1 ? begun : null);
      return;
    } catch (error) {
      // The next attempt writes the same rows.
      await begun?.[Symbol.asyncDispose]();
      if (error instanceof ErasedMeanwhile || error instanceof CommitRefused || error instanceof AssertionFailed) {
        if (attempt > 1 && (await catalog.isCommitted(facts.id))) return;
        await catalog.abandon(facts.segments.map(({ id }) => id));
        throw error;
      }
      log(`commit ${facts.id}: outcome unknown (${describeError(error)}), asking again`);
      if (attempt >= 100)
        throw new RetryableError("store_unreachable", "the record store does not answer", { cause: error });
      await world.sleep(Math.min(1000, 20 * attempt));
    }
  }
}

/** The commit has happened: memory follows. */
async function adopt(
  tools: FlushTools,
  facts: Commit,
  outcome: Outcome,
  takes: readonly Take[],
  clocks: readonly LaneClock[],
): Promise<void> {
  for (const segment of facts.segments) if (segment.kind === "events") await tools.duplicates.adopt(segment);
  tools.persons.adopt(outcome.log);
  tools.definitions.adopt(facts.definitions.seen);
  for (const [i, { from, frames }] of takes.entries()) settle(from, frames.at(-1)!.sequence, clocks[i]!);
}

function settle(lane: OwnedLane, sequence: number, clock: LaneClock): void {
  lane.position = sequence;
  lane.lastMs = clock.lastMs;
  lane.attempts = 0;
  lane.poisoned = [];
  lane.reader.drop(sequence);
}

function summary(facts: Commit): FlushResult {
  return {
    stored: facts.counts.reduce((sum, team) => sum + team.stored, 0),
    duplicates: facts.counts.reduce((sum, team) => sum + team.duplicates, 0),
    deadLetters: facts.deadLetters.length,
  };
}
