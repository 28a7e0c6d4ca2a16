import type { Db, Fragment, Tx } from "../../store/mod.ts";
import { type GroupIndex, importMark } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import { raiseProjectVersions, raiseVersion } from "./clock.ts";
import type { Accepted } from "./erasures.ts";
import { typesIn } from "./groupTypes.ts";
import { nodeRowsOf } from "./identities.ts";
import { actorsWithStates } from "./states.ts";
import type { ErasureSubject } from "./types.ts";

/** What all deletions within a project are told. */
interface EraseOrder {
  teamId: number;
  /** What is accepted after it may make the same anew. */
  accepted: Accepted;
  /** When `accepted` was not yet asked for. */
  requestedAtMs: number;
}

/**
 * Deletes projects, in the transaction that hides them: commits leave out what is theirs from then on, and the
 * compactor removes what is stored. Their ids are never given again, so that no position is needed.
 */
export async function eraseProjects(tx: Tx, teamIds: readonly number[], nowMs: number): Promise<void> {
  const version = await raiseVersion(tx);
  for (const teamId of teamIds) {
    const order = { teamId, accepted: { generation: 0, sequences: [] }, requestedAtMs: nowMs };
    await note(tx, version, order, { kind: "project" });
  }
  await raiseProjectVersions(tx, teamIds, version);
}

/**
 * Deletes a person: what files hold of it is hidden from now on, and what is kept of it elsewhere is removed. `distinctIds`
 * are those that the log knows; those of merges are added. False when the id is no person's any more: it was merged into another one.
 */
export async function erasePerson(
  db: Db,
  o: EraseOrder & { personId: string; distinctIds: readonly string[]; withEvents: boolean },
): Promise<boolean> {
  const { teamId, personId, withEvents } = o;
  return db.write(async (tx) => {
    // First: erasures and commits happen one after the other, so that this sees every merge committed before.
    const version = await raiseVersion(tx);
    const nodes = await nodeRowsOf(tx, teamId, [personId]);
    if (nodes.some((node) => node.survivor_id !== personId)) return false;
    const personIds = [...new Set([personId, ...nodes.map((node) => node.person_id)])];
    await note(tx, version, o, { kind: "person", personIds, withEvents });
    if (withEvents) {
      const ofNodes = nodes.flatMap(({ distinct_id: own, survivor_distinct_id: survivor }) =>
        survivor === null ? [own] : [own, survivor],
      );
      const distinctIds = [...new Set([...o.distinctIds, ...ofNodes])];
      for (const ids of chunks(personIds)) {
        await tx`delete from identities where team_id = ${teamId} and person_id in ${tx(ids)}`;
      }
      await forgetIds(tx, teamId, distinctIds);
    }
    for (const ids of chunks(personIds)) await tx`delete from cohort_persons where person_id in ${tx(ids)}`;
    await forgetAnswers(tx, teamId, version);
    return true;
  });
}

/**
 * Deletes the events that carry this import's id: those that were accepted until `accepted`, and what else of them is committed by now.
 * Persons stay, with what the events told of them.
 */
export async function eraseImport(db: Db, o: EraseOrder & { importId: string }): Promise<void> {
  const { teamId, importId } = o;
  await db.write(async (tx) => {
    const version = await raiseVersion(tx);
    await note(tx, version, o, { kind: "import", importId });
    const mark = importMark(importId);
    await forgetLetters(tx, tx`team_id = ${teamId}`, ({ properties }) => String(properties).includes(mark));
    await forgetAnswers(tx, teamId, version);
  });
}

/** Deletes a group: what files hold of it is hidden from now on. Its events stay, with its key. False when no type has this index. */
export async function eraseGroup(db: Db, o: EraseOrder & { index: GroupIndex; key: string }): Promise<boolean> {
  const { teamId, index, key } = o;
  return db.write(async (tx) => {
    const version = await raiseVersion(tx);
    const type = [...(await typesIn(tx, teamId))].find(([, known]) => known === index)?.[0];
    if (type === undefined) return false;
    await note(tx, version, o, { kind: "group", index, type, key });
    await forgetAnswers(tx, teamId, version);
    return true;
  });
}

/** What is told of a deletion; the rest is looked up when it is read. */
type OrderedSubject = Exclude<ErasureSubject, { kind: "import" }> | { kind: "import"; importId: string };

/** The record of a deletion. */
async function note(tx: Tx, version: number, order: EraseOrder, subject: OrderedSubject): Promise<void> {
  const { teamId, accepted, requestedAtMs } = order;
  const { generation, sequences } = accepted;
  const row = {
    ...{ version, team_id: teamId, kind: subject.kind, ...columnsOf(subject), generation },
    sequences: JSON.stringify(sequences.map((at) => [at.lane, at.partition, at.sequence])),
    requested_at_ms: requestedAtMs,
  };
  await tx`insert into erasures ${tx(row)}`;
  if (subject.kind !== "person") return;
  for (const ids of chunks(subject.personIds)) {
    await tx`insert into erased_persons ${tx(ids.map((id) => ({ version, team_id: teamId, person_id: id })))}`;
  }
}

/** As `readErasures` reads it. */
function columnsOf(subject: OrderedSubject) {
  const plain = { subject: null, group_type: null, group_index: null, with_events: 1 };
  switch (subject.kind) {
    case "project":
      return plain;
    case "person":
      return { ...plain, subject: subject.personIds[0] ?? null, with_events: subject.withEvents ? 1 : 0 };
    case "import":
      return { ...plain, subject: subject.importId };
    case "group":
      return { subject: subject.key, group_type: subject.type, group_index: subject.index, with_events: 0 };
  }
}

/** Answers that may tell of what was deleted are calculated again. */
async function forgetAnswers(tx: Tx, teamId: number, version: number): Promise<void> {
  await tx`delete from query_cache where team_id = ${teamId}`;
  await raiseProjectVersions(tx, [teamId], version);
}

/** Removes rows under the distinct_ids of a project. */
async function forgetIds(tx: Tx, teamId: number, distinctIds: readonly string[]): Promise<void> {
  const actors = await actorsWithStates(tx);
  for (const ids of chunks(distinctIds)) {
    await tx`delete from actor_states where actor in ${tx(actors)} and team_id = ${teamId} and distinct_id in ${tx(ids)}`;
    await tx`delete from ingestion_warnings where team_id = ${teamId} and warning_key in ${tx(ids)}`;
    await tx`delete from dead_letters where team_id = ${teamId} and distinct_id in ${tx(ids)}`;
  }
  // Those of before are found by their event alone.
  const known = new Set(distinctIds);
  await forgetLetters(tx, tx`team_id = ${teamId} and distinct_id is null`, (event) =>
    known.has(String(event.distinctId)),
  );
}

/** Removes the dead letters whose event is meant, of those that a condition finds. */
async function forgetLetters(
  tx: Tx,
  where: Fragment,
  isMeant: (event: Record<string, unknown>) => boolean,
): Promise<void> {
  const letters: { id: unknown; event: string }[] = await tx`
    select id, event from dead_letters where ${where} and event <> ''`;
  for (const { id, event } of letters) {
    if (isMeant(JSON.parse(event))) await tx`delete from dead_letters where id = ${Number(id)}`;
  }
}
