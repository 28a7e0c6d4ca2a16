import type { Db, Tx } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { concernedFiles } from "./erasures.ts";
import { keptFrom } from "./quarantine.ts";

/** The id of the first file that a statement finds, or null. */
function firstId(db: Db, find: (tx: Tx, nowMs: number) => PromiseLike<{ id: string }[]>): Promise<string | null> {
  return db.read(async (tx) => {
    const [file] = await find(tx, await catalogNowMs(db, tx));
    return file?.id ?? null;
  });
}

/**
 * A live file, neither in quarantine nor in a job, with rows that were deleted `waitMs` ago; or null. A file of a deleted project alone is due at
 * once, since nothing has to be written.
 */
export async function dueForErasure(db: Db, waitMs: number): Promise<string | null> {
  return firstId(
    db,
    (tx, nowMs) => tx`
      select s.id from ${concernedFiles(tx)}
        and e.erased_at_ms is null and s.state = 'live'
        and (e.requested_at_ms <= ${nowMs - waitMs} or (e.kind = 'project' and s.team_id = e.team_id))
        and not exists ${keptFrom(tx, nowMs)}
      order by e.version, s.id limit 1`,
  );
}

/** Notes that a file has no rows that were deleted up to a version. */
export async function noteErased(db: Db, id: string, version: number): Promise<void> {
  await db.write(
    (tx) => tx`update segments set erased_through = ${version}
      where id = ${id} and state = 'live' and erased_through < ${version}`,
  );
}

/** Minimum age of a file before it is rewritten with merged person ids: the age of its events divided by this, */
const AGE_SHARE = 8;
/** but at most this many times the usual wait. */
const LONGEST_WAITS = 24;

/**
 * The live file of events that has waited longest for merges to be worked into it, or null: persons of a project in it were
 * merged since, it is at least `waitMs` old (more for old events), and is neither in quarantine nor in a job.
 */
export async function dueForSquash(db: Db, waitMs: number): Promise<string | null> {
  return firstId(
    db,
    (tx, nowMs) => tx`
      select s.id from segments s
      where s.state = 'live' and s.kind = 'events'
        and s.registered_at_ms <= ${nowMs - waitMs}
        and (s.registered_at_ms <= ${nowMs - waitMs * LONGEST_WAITS}
          or (${nowMs} - s.registered_at_ms) * ${AGE_SHARE} >= ${nowMs} - s.max_ms)
        and exists (select 1 from segment_teams t join project_versions p on p.team_id = t.team_id
                    where t.segment_id = s.id and p.merges_version > s.squashed_through)
        and not exists ${keptFrom(tx, nowMs)}
      order by s.registered_at_ms limit 1`,
  );
}

/** Notes that the merges up to a version change nothing in a file: it need not be rewritten, and waits again. */
export async function noteSquashed(db: Db, id: string, version: number): Promise<void> {
  await db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    await tx`update segments set squashed_through = ${version}, registered_at_ms = ${nowMs}
      where id = ${id} and state = 'live' and squashed_through < ${version}`;
  });
}

/** Of data without an environment. */
const DEFAULT_ZONE = "UTC";

/** The zones whose days these projects' insights count, as they are now. */
export async function timezonesOf(db: Db, teamIds: readonly number[]): Promise<Map<number, string>> {
  const zones = new Map(teamIds.map((teamId) => [teamId, DEFAULT_ZONE]));
  if (teamIds.length === 0) return zones;
  const rows: { id: unknown; timezone: string }[] = await db.read(
    (tx) => tx`select id, timezone from environments where id in ${tx([...teamIds])}`,
  );
  for (const { id, timezone } of rows) zones.set(Number(id), timezone);
  return zones;
}

/** A flush of so many rows is worth a file of its own: what walks read of it has to be sorted in each question until then. */
const TAIL_ROWS = 10_000;
/** It waits this part of the time, since others may come to be merged with it. */
const TAIL_WAIT_SHARE = 1 / 12;

/**
 * The live file of one project, with the newest events, that is at least `waitMs` old and lacks columns of its layout, or has
 * numbers and no daily rollup in its project's zone, or was written before there were journeys, or has no rows in order of person
 * (where these are wanted); or that a large flush wrote, of which too few came to be merged: the end of an import. It is neither in
 * quarantine nor in a job. Null: there is none. Fresh files are merged soon anyway.
 */
export async function dueForBackfill(db: Db, waitMs: number, arePersonRowsWanted = true): Promise<string | null> {
  const tailWaitMs = Math.round(waitMs * TAIL_WAIT_SHARE);
  return firstId(
    db,
    (tx, nowMs) => tx`
      select s.id from segments s
      where s.state = 'live' and s.kind = 'events' and s.team_id is not null
        and ((s.registered_at_ms <= ${nowMs - waitMs}
            and (s.columns < (select count(*) from property_columns c where c.team_id = s.team_id)
              or (s.is_numbered = 1 and (s.has_journey is null or coalesce(s.has_person_rows, 0) < ${arePersonRowsWanted ? 1 : 0}
                or coalesce(s.activity_zone, '') <>
                  coalesce((select e.timezone from environments e where e.id = s.team_id), ${DEFAULT_ZONE})))))
          or (s.registered_at_ms <= ${nowMs - tailWaitMs}
            and s.level = 0 and s.is_numbered = 0 and s.row_count >= ${TAIL_ROWS}))
        and not exists ${keptFrom(tx, nowMs)}
      order by s.max_ms desc, s.id limit 1`,
  );
}
