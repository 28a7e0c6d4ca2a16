import type { Db } from "../../store/mod.ts";
import { only } from "../../types/mod.ts";
import type { TypedColumn } from "../typed/mod.ts";
import { layoutOf } from "./columns.ts";
import { quarantinedIn } from "./quarantine.ts";
import type { SegmentKind, SegmentState } from "./types.ts";

/** The contents of the lake, read in one snapshot. */
export interface LakeOverview {
  files: { kind: SegmentKind; state: SegmentState; level: number; count: number; sizeBytes: number; rows: number }[];
  projects: ProjectOverview[];
  /** Deletions whose rows may be left in files. */
  erasuresWaiting: number;
  /** Live files in quarantine. */
  setAside: string[];
}

/** Live files of one project; of those that it shares, its part by rows. */
interface ProjectOverview {
  teamId: number;
  files: number;
  sharedFiles: number;
  events: number;
  logRows: number;
  sizeBytes: number;
  /** First and last time of an event; null where there is none. */
  minMs: number | null;
  maxMs: number | null;
  /** Events that have all the columns of the layout. */
  typedEvents: number;
  layout: TypedColumn[];
  /** Pinned keys that have no column yet. */
  pinnedWithout: string[];
}

export async function lakeOverview(db: Db): Promise<LakeOverview> {
  return db.read(async (tx) => {
    const files: Record<string, unknown>[] = await tx`
      select kind, state, level, count(*) as n, sum(size_bytes) as bytes, sum(row_count) as row_count from segments
      group by kind, state, level order by kind, state, level`;
    const teams: Record<string, unknown>[] = await tx`
      select t.team_id, count(*) as n, sum(case when s.team_id is null then 1 else 0 end) as shared,
        sum(case when s.kind = 'events' then t.row_count else 0 end) as events,
        sum(case when s.kind = 'log' then t.row_count else 0 end) as log_rows,
        sum(1.0 * s.size_bytes * t.row_count / s.row_count) as bytes,
        min(case when s.kind = 'events' then t.min_ms end) as min_ms,
        max(case when s.kind = 'events' then t.max_ms end) as max_ms,
        sum(case when s.kind = 'events' and s.columns > 0 and s.columns >= (
          select count(*) from property_columns c where c.team_id = t.team_id) then t.row_count else 0 end) as typed
      from segment_teams t join segments s on s.id = t.segment_id
      where s.state = 'live' group by t.team_id order by t.team_id`;
    const waiting: { n: unknown }[] = await tx`select count(*) as n from erasures where erased_at_ms is null`;
    const pinned: { team_id: unknown; key: string }[] = await tx`
      select team_id, key from property_pins p where not exists (
        select 1 from property_columns c where c.team_id = p.team_id and c.key = p.key) order by key`;
    const projects: ProjectOverview[] = [];
    for (const row of teams) {
      const teamId = Number(row.team_id);
      const ms = (value: unknown) => (value === null ? null : Number(value));
      projects.push({
        teamId,
        files: Number(row.n),
        sharedFiles: Number(row.shared),
        events: Number(row.events),
        logRows: Number(row.log_rows),
        sizeBytes: Math.round(Number(row.bytes)),
        minMs: ms(row.min_ms),
        maxMs: ms(row.max_ms),
        typedEvents: Number(row.typed),
        layout: await layoutOf(tx, teamId),
        pinnedWithout: pinned.filter((row) => Number(row.team_id) === teamId).map(({ key }) => key),
      });
    }
    return {
      files: files.map((row) => ({
        kind: row.kind as SegmentKind,
        state: row.state as SegmentState,
        level: Number(row.level),
        count: Number(row.n),
        sizeBytes: Number(row.bytes),
        rows: Number(row.row_count),
      })),
      projects,
      erasuresWaiting: Number(only(waiting).n),
      setAside: await quarantinedIn(db, tx),
    };
  });
}
