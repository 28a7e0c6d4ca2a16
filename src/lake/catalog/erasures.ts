import type { Db, Fragment, Tx } from "../../store/mod.ts";
import { type GroupIndex, IMPORT_ID, type Lane, RetryableError } from "../../types/mod.ts";
import type { Erasure, ErasureSubject } from "./types.ts";

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

/** If there are erasures since `version`: all that a worker has to know, with their version; else null. */
export async function waitingErasures(
  db: Db,
  version: number,
): Promise<{ version: number; erasures: WaitingErasure[] } | null> {
  return db.read(async (tx) => {
    const rows: { version: unknown }[] = await tx`select max(version) as version from erasures`;
    const newest = Number(rows[0]?.version ?? 0);
    if (newest <= version) return null;
    return { version: newest, erasures: await readErasures(tx, unfinished(tx)) };
  });
}

/** Erasures whose rows may still be in files, up to a version of the catalog. */
export async function unfinishedErasures(db: Db, throughVersion: number): Promise<Erasure[]> {
  const erasures = await db.read((tx) => readErasures(tx, unfinished(tx)));
  return erasures.filter(({ version }) => version <= throughVersion);
}

/** Every deletion, in order of version. */
export function recordedErasures(db: Db): Promise<RecordedErasure[]> {
  return db.read((tx) => readErasures(tx, tx`(select version, team_id from erasures)`));
}

/**
 * Erasures `e` and files `s`, in any state, that may hold something of them: FROM and WHERE of a statement, which goes on with `and`.
 * Cross joins: SQLite begins with the erasures then, of which the statement wants few.
 */
export function concernedFiles(tx: Tx) {
  return tx`erasures e cross join segment_teams t cross join segments s
    where t.team_id = e.team_id and s.id = t.segment_id and s.erased_through < e.version
      and (e.with_events = 1 or s.kind = 'log') and (e.kind <> 'import' or s.kind = 'events')`;
}

/** Whether files of events may hold something of it, too: as `concernedFiles` says. */
export function concernsEvents(erasure: ErasureSubject): boolean {
  return erasure.kind === "person" ? erasure.withEvents : erasure.kind !== "group";
}

/**
 * Of one project, for a reader's snapshot: those above a version, `above.log` where files of the log alone are concerned. Others are
 * never freed of those.
 */
export function erasuresOf(tx: Tx, teamId: number, above: { any: number; log: number }): Promise<Erasure[]> {
  const { any, log } = above;
  // The lower of the two for the index, which knows nothing of `with_events`.
  const which = tx`(select version, team_id from erasures
    where team_id = ${teamId} and version > ${Math.min(any, log)} and version > case with_events when 1 then ${any} else ${log} end)`;
  return readErasures(tx, which);
}

/** Projects are always told, even when nothing is left of them: a front that has not learnt it yet may still accept something. */
const unfinished = (tx: Tx) => tx`
  (select version, team_id from erasures where erased_at_ms is null
  union all select version, team_id from erasures where kind = 'project' and erased_at_ms is not null)`;

/** In order of version; `which`: a SELECT of `version` and `team_id` in parentheses. */
async function readErasures(tx: Tx, which: Fragment): Promise<RecordedErasure[]> {
  const rows: Record<string, unknown>[] = await tx`
    select e.*, c.id as column_id from ${which} w cross join erasures e
    left join property_columns c on e.kind = 'import' and c.team_id = e.team_id and c.key = ${IMPORT_ID}
    where e.version = w.version and e.team_id = w.team_id
    order by e.version, e.team_id`;
  const ids: { version: unknown; person_id: string }[] = await tx`
    select p.version, p.person_id from ${which} w cross join erased_persons p
    where p.version = w.version and p.team_id = w.team_id`;
  const idsOf = Map.groupBy(ids, (row) => Number(row.version));
  return rows.map((row) => ({
    version: Number(row.version),
    teamId: Number(row.team_id),
    ...subjectOf(row, idsOf.get(Number(row.version)) ?? []),
    ...readAccepted(row),
    requestedAtMs: Number(row.requested_at_ms),
    erasedAtMs: row.erased_at_ms === null ? null : Number(row.erased_at_ms),
  }));
}

function subjectOf(row: Record<string, unknown>, ids: readonly { person_id: string }[]): ErasureSubject {
  const [kind, subject] = [row.kind as ErasureSubject["kind"], String(row.subject)];
  switch (kind) {
    case "project":
      return { kind };
    case "person":
      return { kind, personIds: ids.map((id) => id.person_id), withEvents: Number(row.with_events) === 1 };
    case "import":
      return { kind, importId: subject, columnId: row.column_id === null ? null : Number(row.column_id) };
    case "group":
      return { kind, index: Number(row.group_index) as GroupIndex, type: String(row.group_type), key: subject };
  }
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
  // Not `distinct`: SQLite would go through all of them, in the order of their projects.
  const rows: { team_id: unknown }[] = await tx`select team_id from erasures where version > ${knownVersion}`;
  const met = rows.map((row) => Number(row.team_id)).find((teamId) => teamIds.has(teamId));
  if (met !== undefined) throw new ErasedMeanwhile(met);
}
