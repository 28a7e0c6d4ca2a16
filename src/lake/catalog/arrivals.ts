import type { Db } from "../../store/mod.ts";
import { readVersion } from "./clock.ts";

/** How far a reader of what arrives has come. */
export interface ArrivalMark {
  /** Of the catalog: all that was stored up to it is known. */
  version: number;
  /** Events that the project had stored until then, ever. */
  stored: number;
}

/** What was stored behind a mark. */
export interface Arrivals {
  mark: ArrivalMark;
  /** Events in files that can still be read alone (`LakeQuery.stored`). */
  events: number;
  /** Events whose files were merged into others and removed: they are stored, but no longer told from older ones. */
  missed: number;
}

/**
 * What was stored in a project behind a mark; without one, where the end is now. A flush's file is merged within seconds: only a pin that
 * was taken before the mark keeps it (protocol rule 12). What the files lack of the counters is `missed`, so none is lost unnoticed.
 */
export async function arrivalsSince(db: Db, teamId: number, after: ArrivalMark | null): Promise<Arrivals> {
  return db.read(async (tx) => {
    const version = await readVersion(tx);
    const counts: { events: unknown }[] = await tx`
      select events from settled_counts where team_id = ${teamId} and outcome = 'stored' and cause = ''`;
    const mark = { version, stored: Number(counts[0]?.events ?? 0) };
    if (after === null || after.version >= version) return { mark, events: 0, missed: 0 };
    const rows: { events: unknown }[] = await tx`
      select coalesce(sum(t.row_count), 0) as events from segment_teams t join segments s on s.id = t.segment_id
      where t.team_id = ${teamId} and s.kind = 'events' and s.level = 0 and s.state in ('live', 'replaced')
        and s.live_from > ${after.version} and s.live_from <= ${version}`;
    const events = Number(rows[0]?.events ?? 0);
    return { mark, events, missed: Math.max(0, mark.stored - after.stored - events) };
  });
}
