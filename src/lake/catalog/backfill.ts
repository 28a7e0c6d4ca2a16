import type { Db } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { leaseOn } from "./quarantine.ts";
import { DEFAULT_ZONE } from "./timezones.ts";

/**
 * The live file of one project, with the newest events, that has stood for `waitMs` and lacks columns of its layout, or has
 * numbers and no activity by the days of its project's zone, and is not set aside; or null. Fresh files are merged soon anyway.
 */
export async function dueForBackfill(db: Db, waitMs: number): Promise<string | null> {
  return db.read(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    const rows: { id: string }[] = await tx`
      select s.id from segments s
      where s.state = 'live' and s.kind = 'events' and s.team_id is not null and s.registered_at_ms <= ${nowMs - waitMs}
        and (s.columns < (select count(*) from property_columns c where c.team_id = s.team_id)
          or (s.is_numbered = 1 and coalesce(s.activity_zone, '') <>
            coalesce((select e.timezone from environments e where e.id = s.team_id), ${DEFAULT_ZONE})))
        and not exists (${leaseOn(tx, nowMs)})
      order by s.max_ms desc, s.id limit 1`;
    return rows[0]?.id ?? null;
  });
}
