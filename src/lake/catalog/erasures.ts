import type { Db, Tx } from "../../store/mod.ts";
import { importMark, type Lane, RetryableError } from "../../types/mod.ts";
import { chunks } from "./chunks.ts";
import { raiseProjectVersions, raiseVersion } from "./clock.ts";
import type { Erasure } from "./types.ts";

/** Something was deleted since a flush looked: the flush is done again without it. */
export class ErasedMeanwhile extends RetryableError {
  constructor(teamId: number) {
    super("erased_meanwhile", `something of project ${teamId} was deleted`);
  }
}

/** Frames accepted so far: of each lane and partition of a generation the sequence of the last one. */
export interface Accepted {
  generation: number;
  sequences: { lane: Lane; partition: number; sequence: number }[];
}

/** An erasure that workers must know: events accepted before it may still be queued. */
export type WaitingErasure = Erasure & Accepted;

/** An erasure with its history. */
export type RecordedErasure = WaitingErasure & {
  requestedAtMs: number;
  /** When nothing was left of it; null while something may be. */
  erasedAtMs: number | null;
};

/**
 * Deletes projects, in the transaction that hides them: commits leave out what is theirs from then on, and the
 * compactor removes what is stored. Their ids are never given again, so that no position is needed.
 */
export async function eraseProjects(tx: Tx, teamIds: readonly number[], nowMs: number): Promise<void> {
  const version = await raiseVersion(tx);
  for (const teamId of teamIds) {
    await tx`insert into erasures (version, team_id, with_events, generation, sequences, requested_at_ms)
      values (${version}, ${teamId}, 1, 0, '[]', ${nowMs})`;
  }
  await raiseProjectVersions(tx, teamIds, version);
}

/**
 * Deletes a person: what files hold of it is hidden from now on, and what is kept of it elsewhere is removed. `distinctIds`
 * are those that the log knows; those of merges are added. What is accepted after `accepted` may make it anew. False when
 * the id is no person's any more: it was merged into another one.
 */
export async function erasePerson(
  db: Db,
  o: {
    teamId: number;
    personId: string;
    distinctIds: readonly string[];
    withEvents: boolean;
    accepted: Accepted;
    /** When `accepted` was not yet asked for. */
    requestedAtMs: number;
  },
): Promise<boolean> {
  const { teamId, personId, withEvents, accepted } = o;
  return db.write(async (tx) => {
    // First: erasures and commits happen one after the other, so that this sees every merge committed before.
    const version = await raiseVersion(tx);
    const nodes: { person_id: string; distinct_id: string; survivor_id: string }[] = await tx`
      select person_id, distinct_id, survivor_id from identities
      where team_id = ${teamId} 
        and (person_id = ${personId} or (survivor_id = ${personId} and survivor_id <> person_id))`;
    if (nodes.some((node) => node.survivor_id !== personId)) return false;
    const personIds = [...new Set([personId, ...nodes.map((node) => node.person_id)])];
    await tx`insert into erasures
      (version, team_id, person_id, with_events, generation, sequences, requested_at_ms)
      values (${version}, ${teamId}, ${personId}, ${withEvents ? 1 : 0}, ${accepted.generation},
        ${sequencesText(accepted)}, ${o.requestedAtMs})`;
    for (const ids of chunks(personIds)) {
      await tx`insert into erased_persons ${tx(ids.map((id) => ({ version, team_id: teamId, person_id: id })))}`;
    }
    if (withEvents) {
      const distinctIds = [...new Set([...o.distinctIds, ...nodes.map((node) => node.distinct_id)])];
      for (const ids of chunks(personIds)) {
        await tx`delete from identities where team_id = ${teamId} and person_id in ${tx(ids)}`;
      }
      await forgetIds(tx, teamId, distinctIds);
    }
    for (const ids of chunks(personIds)) await tx`delete from cohort_persons where person_id in ${tx(ids)}`;
    await tx`delete from query_cache where team_id = ${teamId}`;
    await raiseProjectVersions(tx, [teamId], version);
    return true;
  });
}

/**
 * Deletes the events that carry this import's id: those that were accepted until `accepted`, and what else of them is committed by now.
 * Persons stay, with what the events told of them.
 */
export async function eraseImport(
  db: Db,
  o: { teamId: number; importId: string; accepted: Accepted; requestedAtMs: number },
): Promise<void> {
  const { teamId, importId, accepted } = o;
  await db.write(async (tx) => {
    const version = await raiseVersion(tx);
    await tx`insert into erasures
      (version, team_id, person_id, import_id, with_events, generation, sequences, requested_at_ms)
      values (${version}, ${teamId}, '', ${importId}, 1, ${accepted.generation}, ${sequencesText(accepted)}, ${o.requestedAtMs})`;
    await forgetLetters(tx, teamId, ({ properties }) => String(properties).includes(importMark(importId)));
    await tx`delete from query_cache where team_id = ${teamId}`;
    await raiseProjectVersions(tx, [teamId], version);
  });
}

const sequencesText = ({ sequences }: Accepted): string =>
  JSON.stringify(sequences.map((at) => [at.lane, at.partition, at.sequence]));

/** Removes rows under the distinct_ids of a project. */
async function forgetIds(tx: Tx, teamId: number, distinctIds: readonly string[]): Promise<void> {
  for (const ids of chunks(distinctIds)) {
    await tx`delete from actor_states where team_id = ${teamId} and distinct_id in ${tx(ids)}`;
    await tx`delete from ingestion_warnings where team_id = ${teamId} and warning_key in ${tx(ids)}`;
  }
  const known = new Set(distinctIds);
  await forgetLetters(tx, teamId, ({ distinctId }) => known.has(String(distinctId)));
}

async function forgetLetters(
  tx: Tx,
  teamId: number,
  isMeant: (event: Record<string, unknown>) => boolean,
): Promise<void> {
  const letters: { id: unknown; event: string }[] = await tx`
    select id, event from dead_letters where team_id = ${teamId} and event <> ''`;
  for (const { id, event } of letters) {
    if (isMeant(JSON.parse(event))) await tx`delete from dead_letters where id = ${Number(id)}`;
  }
}

/** If there are erasures since `version`: all that a worker has to know, with their version; else null. */
export async function waitingErasures(
  db: Db,
  version: number,
): Promise<{ version: number; erasures: WaitingErasure[] } | null> {
  return db.read(async (tx) => {
    const rows: { version: unknown }[] = await tx`select max(version) as version from erasures`;
    const newest = Number(rows[0]?.version ?? 0);
    if (newest <= version) return null;
    return { version: newest, erasures: await readErasures(tx, { unfinished: 1 }) };
  });
}

/** Erasures whose rows may still be in files, up to a version of the catalog. */
export async function unfinishedErasures(db: Db, throughVersion: number): Promise<Erasure[]> {
  const erasures = await db.read((tx) => readErasures(tx, { unfinished: 1 }));
  return erasures.filter(({ version }) => version <= throughVersion);
}

/** Every deletion, in order of version. */
export function recordedErasures(db: Db): Promise<RecordedErasure[]> {
  return db.read((tx) => readErasures(tx, { unfinished: 0 }));
}

/** Erasures `e` and files `s`, in any state, that may hold something of them: FROM and WHERE of a statement, which goes on with `and`. */
export function concernedFiles(tx: Tx) {
  return tx`erasures e join segment_teams t on t.team_id = e.team_id join segments s on s.id = t.segment_id
    where s.erased_through < e.version
      and (e.with_events = 1 or s.kind = 'log') and (e.import_id is null or s.kind = 'events')`;
}

/** Of one project, above a version; for a reader's snapshot. */
export function erasuresOf(tx: Tx, teamId: number, aboveVersion: number): Promise<Erasure[]> {
  return readErasures(tx, { unfinished: 0, teamId, aboveVersion });
}

/**
 * In order of version. Projects are always told, even when nothing is left of them: a front that has not learnt it yet may
 * still accept something.
 */
async function readErasures(
  tx: Tx,
  o: { unfinished: 0 | 1; teamId?: number; aboveVersion?: number },
): Promise<RecordedErasure[]> {
  const { unfinished, teamId = 0, aboveVersion = 0 } = o;
  const rows: Record<string, unknown>[] = await tx`
    select version, team_id, person_id, import_id, with_events, generation, sequences, requested_at_ms, erased_at_ms from erasures
    where (${teamId} = 0 or team_id = ${teamId}) and version > ${aboveVersion}
      and (${unfinished} = 0 or person_id is null or erased_at_ms is null)
    order by version, team_id`;
  const ids: { version: unknown; person_id: string }[] = await tx`
    select p.version, p.person_id from erased_persons p join erasures e on e.version = p.version and e.team_id = p.team_id
    where (${teamId} = 0 or p.team_id = ${teamId}) and p.version > ${aboveVersion}
      and (${unfinished} = 0 or e.erased_at_ms is null)`;
  const idsOf = Map.groupBy(ids, (row) => Number(row.version));
  return rows.map((row) => ({
    version: Number(row.version),
    teamId: Number(row.team_id),
    personIds: row.person_id === null ? null : (idsOf.get(Number(row.version)) ?? []).map((id) => id.person_id),
    importId: row.import_id === null ? null : String(row.import_id),
    withEvents: Number(row.with_events) === 1,
    ...readAccepted(row),
    requestedAtMs: Number(row.requested_at_ms),
    erasedAtMs: row.erased_at_ms === null ? null : Number(row.erased_at_ms),
  }));
}

export function readAccepted(row: Record<string, unknown>): Accepted {
  const list: [Lane, number, number][] = JSON.parse(String(row.sequences));
  const sequences = list.map(([lane, partition, sequence]) => ({ lane, partition, sequence }));
  return { generation: Number(row.generation), sequences };
}

/**
 * Within a commit that locks the catalog's version: throws ErasedMeanwhile when something of one of these projects was
 * deleted after `knownVersion`.
 */
export async function checkErasures(tx: Tx, knownVersion: number, teamIds: ReadonlySet<number>): Promise<void> {
  const rows: { team_id: unknown }[] = await tx`
    select distinct team_id from erasures where version > ${knownVersion}`;
  const met = rows.map((row) => Number(row.team_id)).find((teamId) => teamIds.has(teamId));
  if (met !== undefined) throw new ErasedMeanwhile(met);
}

/** Whether a project was deleted. */
export async function isErased(tx: Tx, teamId: number): Promise<boolean> {
  const rows: unknown[] = await tx`select 1 from erasures where team_id = ${teamId} and person_id is null`;
  return rows.length > 0;
}
