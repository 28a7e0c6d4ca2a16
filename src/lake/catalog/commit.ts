import { changed, type Db, type Tx } from "../../store/mod.ts";
import { type SeenDefinitions, TerminalError } from "../../types/mod.ts";
import type { BegunCommit } from "./begunCommit.ts";
import { catalogNowMs, raiseMergesVersions, raiseProjectVersions, raiseVersion } from "./clock.ts";
import { noteCommitTime } from "./commitTimes.ts";
import { checkErasures } from "./erasures.ts";
import { followMerges, saveIdentities } from "./identities.ts";
import { addMessages } from "./outbox.ts";
import { checkCommit } from "./rules.ts";
import { makeLive } from "./segments.ts";
import { saveStates } from "./states.ts";
import type { Commit, Epoch, SettledCounts, UsageCount } from "./types.ts";
import { addWarnings } from "./warnings.ts";

/** Another owner has the partition, or its position is not where this owner left it: the worker is stale. */
export class CommitRefused extends TerminalError {
  constructor(message: string) {
    super("commit_refused", message);
  }
}

/** Notes which events and properties arrived; `max`: of each, that a project can have. Records of people, so not the catalog's own. */
export type NoteDefinitions = (
  tx: Tx,
  seen: readonly SeenDefinitions[],
  limits: { nowMs: number; max: number },
) => Promise<void>;

/** How many past commits stay known, for workers that did not learn the outcome of theirs. */
const REMEMBERED_COMMITS = 10_000;

/**
 * The one commit point (protocol rule 9): segment, positions, counts, warnings and dead letters become true together.
 * Throws CommitRefused when the worker is stale, ErasedMeanwhile when something that it holds was deleted; nothing has
 * happened then, nor when it throws AssertionFailed. Any other error leaves the outcome unknown: ask `isCommitted`.
 * `begun`: with `facts.identities`, if it was begun before. `lastCommitMs`: how long this process's commit before it took.
 */
export async function commit(
  db: Db,
  facts: Commit,
  begun: BegunCommit | null,
  { noteDefinitions, lastCommitMs }: { noteDefinitions: NoteDefinitions | null; lastCommitMs: number | null },
): Promise<{ version: number }> {
  checkCommit(facts);
  const body = async (tx: Tx) => {
    // Before all that depends on it, so that commits happen one after the other and see each other's epochs.
    const version = await raiseVersion(tx);
    await checkErasures(tx, facts.erasedThrough, writtenTeams(facts));
    await checkEpochs(tx, facts);
    await movePositions(tx, facts);
    await followMerges(db, tx, facts);
    for (const segment of facts.segments) {
      const isPending = await makeLive(tx, segment, { version, erasedThrough: facts.erasedThrough });
      if (!isPending) throw new CommitRefused(`segment ${segment.id} was abandoned`);
    }
    if (begun === null) await saveIdentities(db, tx, facts.identities);
    await saveStates(tx, facts.states);
    await addMessages(db, tx, facts.messages);
    await addUsage(tx, facts.usage);
    await addCounts(tx, facts.counts);
    await addDeadLetters(tx, facts, await catalogNowMs(db, tx));
    await addWarnings(db, tx, facts.warnings);
    const { seen, max } = facts.definitions;
    if (seen.length > 0) {
      if (noteDefinitions === null)
        throw new TerminalError("no_note", "this catalog was opened without a note of definitions");
      await noteDefinitions(tx, seen, { nowMs: await catalogNowMs(db, tx), max });
    }
    await raiseProjectVersions(tx, changedTeams(facts), version);
    await raiseMergesVersions(tx, new Set(facts.identities.map((node) => node.teamId)), version);
    if (lastCommitMs !== null) await noteCommitTime(tx, lastCommitMs);
    await tx`insert into commits (id, version, at_ms) values (${facts.id}, ${version}, ${await catalogNowMs(db, tx)})`;
    await tx`delete from commits where version < ${version - REMEMBERED_COMMITS}`;
    return { version };
  };
  return begun === null ? db.write(body) : begun.finish(body);
}

/** Whether a commit of unknown outcome has happened. */
export async function isCommitted(db: Db, id: string): Promise<boolean> {
  const rows: unknown[] = await db.read((tx) => tx`select 1 from commits where id = ${id}`);
  return rows.length > 0;
}

async function checkEpochs(tx: Tx, facts: Commit): Promise<void> {
  for (const { partition, epoch } of facts.epochs) {
    const rows: unknown[] = await tx`
      select 1 from owners where partition_id = ${partition} and epoch = ${epoch}`;
    if (rows.length !== 1) throw staleOwner({ partition, epoch });
  }
}

/** The error of a worker whose partition has another owner by now. */
export const staleOwner = ({ partition, epoch }: Epoch): CommitRefused =>
  new CommitRefused(`partition ${partition} has a newer owner than epoch ${epoch}`);

async function movePositions(tx: Tx, facts: Commit): Promise<void> {
  for (const move of facts.moves) {
    const result = await tx`
      update positions set position = ${move.to}, last_ms = ${move.lastMs}, attempts = 0, in_hand = null, poisoned = '[]'
      where generation = ${facts.generation} and lane = ${move.lane} and partition_id = ${move.partition}
        and position = ${move.from}`;
    if (changed(result) !== 1) {
      throw new CommitRefused(`${move.lane} partition ${move.partition} is not at position ${move.from}`);
    }
  }
}

/** Projects with rows in the commit. */
function writtenTeams({ segments, counts, deadLetters, warnings, identities }: Commit): Set<number> {
  const lists = [...segments.map(({ teams }) => teams), counts, deadLetters, warnings, identities];
  return new Set(lists.flatMap((rows) => rows.map(({ teamId }) => teamId)));
}

function changedTeams(facts: Commit): Set<number> {
  return new Set(facts.segments.flatMap((segment) => segment.teams.map((team) => team.teamId)));
}

async function addUsage(tx: Tx, usage: UsageCount[]): Promise<void> {
  for (const { teamId, day, kind, events } of usage) {
    await tx`insert into usage_counts (team_id, day, kind, events) values (${teamId}, ${day}, ${kind}, ${events})
      on conflict (team_id, day, kind) do update set events = usage_counts.events + excluded.events`;
  }
}

async function addCounts(tx: Tx, counts: SettledCounts[]): Promise<void> {
  const rows = counts.flatMap((team) => [
    { team_id: team.teamId, outcome: "stored", cause: "", events: team.stored },
    { team_id: team.teamId, outcome: "duplicate", cause: "", events: team.duplicates },
    ...Object.entries(team.dropped).map(([cause, events]) => {
      return { team_id: team.teamId, outcome: "dropped", cause, events };
    }),
  ]);
  await raiseCounts(tx, rows);
}

async function addDeadLetters(tx: Tx, facts: Commit, nowMs: number): Promise<void> {
  for (const letter of facts.deadLetters) {
    await tx`insert into dead_letters (team_id, generation, lane, partition_id, sequence, frame_index, reason, detail, event, distinct_id, at_ms)
      values (${letter.teamId}, ${facts.generation}, ${letter.lane}, ${letter.partition}, ${letter.sequence},
        ${letter.index}, ${letter.reason}, ${letter.detail}, ${letter.event}, ${letter.distinctId}, ${nowMs})`;
  }
  // Frames of the identity lane are copies of events.
  const events = facts.deadLetters.filter((letter) => letter.lane !== "identity");
  await raiseCounts(
    tx,
    events.map((letter) => ({ team_id: letter.teamId, outcome: "dead_letter", cause: letter.reason, events: 1 })),
  );
}

async function raiseCounts(
  tx: Tx,
  rows: { team_id: number; outcome: string; cause: string; events: number }[],
): Promise<void> {
  for (const row of rows) {
    if (row.events === 0) continue;
    await tx`insert into settled_counts (team_id, outcome, cause, events)
      values (${row.team_id}, ${row.outcome}, ${row.cause}, ${row.events})
      on conflict (team_id, outcome, cause) do update set events = settled_counts.events + excluded.events`;
  }
}
