import type { Db } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { leaseOn } from "./quarantine.ts";

/** Old events are merged seldom: their files wait this share of their age, */
const AGE_SHARE = 8;
/** but at most so many times as long as others. */
const LONGEST_WAITS = 24;

/**
 * The live file of events that has waited longest for merges to be worked into it, or null: persons of a project in it were
 * merged since, it has stood for `waitMs`, old events longer, and is not set aside.
 */
export async function dueForSquash(db: Db, waitMs: number): Promise<string | null> {
  return db.read(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    const rows: { id: string }[] = await tx`
      select s.id from segments s
      where s.state = 'live' and s.kind = 'events'
        and s.registered_at_ms <= ${nowMs - waitMs}
        and (s.registered_at_ms <= ${nowMs - waitMs * LONGEST_WAITS}
          or (${nowMs} - s.registered_at_ms) * ${AGE_SHARE} >= ${nowMs} - s.max_ms)
        and exists (select 1 from segment_teams t join project_versions p on p.team_id = t.team_id
                    where t.segment_id = s.id and p.merges_version > s.squashed_through)
        and not exists (${leaseOn(tx, nowMs)})
      order by s.registered_at_ms limit 1`;
    return rows[0]?.id ?? null;
  });
}

/** Notes that the merges up to a version change nothing in a file: it need not be rewritten, and waits again. */
export async function noteSquashed(db: Db, id: string, version: number): Promise<void> {
  await db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    await tx`update segments set squashed_through = ${version}, registered_at_ms = ${nowMs}
      where id = ${id} and state = 'live' and squashed_through < ${version}`;
  });
}
