import type { Db } from "../../store/mod.ts";
import { type DropCause, only } from "../../types/mod.ts";
import { type CommittedPosition, readPositions } from "./generations.ts";
import { quarantinedIn } from "./quarantine.ts";
import type { UsageCount } from "./types.ts";

/** How the events of a project have ended so far. */
export interface SettledTeam {
  stored: number;
  duplicates: number;
  dropped: Partial<Record<DropCause, number>>;
  deadLetters: number;
  /** Events that are written but whose merge is not settled; not among the stored. */
  merging: number;
}

/** The same and up to where, read in one snapshot. */
export interface Settled extends SettledTeam {
  /** Of the generation asked for: what lies above is still queued. */
  positions: CommittedPosition[];
}

const nothing = (): SettledTeam => ({ stored: 0, duplicates: 0, dropped: {}, deadLetters: 0, merging: 0 });

/** Counts of one project together with the positions that they belong to. */
export async function settledCounts(db: Db, teamId: number, generation: number): Promise<Settled> {
  const { teams, positions } = await allSettled(db, generation, teamId);
  return { ...(teams.get(teamId) ?? nothing()), positions };
}

/** The counts of every project that has some, or of one alone, together with the positions that they belong to. */
export async function allSettled(
  db: Db,
  generation: number,
  onlyTeam: number | null,
): Promise<{ teams: Map<number, SettledTeam>; positions: CommittedPosition[] }> {
  return db.read(async (tx) => {
    const isMeant = onlyTeam === null ? tx`true` : tx`team_id = ${onlyTeam}`;
    const rows: { team_id: unknown; outcome: string; cause: string; events: unknown }[] = await tx`
      select team_id, outcome, cause, events from settled_counts where ${isMeant}`;
    const merging: { team_id: unknown; events: unknown }[] = await tx`
      select team_id, sum(events) as events from merging where ${isMeant} group by team_id`;
    const teams = new Map<number, SettledTeam>();
    const of = (teamId: unknown) => teams.getOrInsertComputed(Number(teamId), nothing);
    for (const { team_id, outcome, cause, events } of rows) {
      const settled = of(team_id);
      if (outcome === "stored") settled.stored += Number(events);
      else if (outcome === "duplicate") settled.duplicates += Number(events);
      else if (outcome === "dead_letter") settled.deadLetters += Number(events);
      else settled.dropped[cause as DropCause] = Number(events);
    }
    for (const { team_id, events } of merging) {
      const settled = of(team_id);
      settled.merging = Number(events);
      settled.stored -= settled.merging;
    }
    return { teams, positions: await readPositions(tx, generation) };
  });
}

/** Events of one UTC day; the kinds are those of `UsageCount`. */
export interface DayUsage {
  day: number;
  billable: number;
  historical: number;
  historicalRecent: number;
}

/** Usage of a project from one day to another, both included, oldest first; days without events are left out. */
export async function readUsage(
  db: Db,
  teamId: number,
  range: { fromDay: number; toDay: number },
): Promise<DayUsage[]> {
  const rows: { day: unknown; kind: UsageCount["kind"]; events: unknown }[] = await db.read(
    (tx) => tx`select day, kind, events from usage_counts
      where team_id = ${teamId} and day between ${range.fromDay} and ${range.toDay} order by day`,
  );
  const days = new Map<number, DayUsage>();
  for (const row of rows) {
    const day = Number(row.day);
    const usage = days.get(day) ?? { day, billable: 0, historical: 0, historicalRecent: 0 };
    days.set(day, usage);
    usage[row.kind === "historical_recent" ? "historicalRecent" : row.kind] = Number(row.events);
  }
  return [...days.values()];
}

/** Figures of the lake for the metrics page. `duplicatesMet` should stay 0. */
export async function lakeFacts(
  db: Db,
): Promise<{ liveSegments: number; liveBytes: number; segmentsAside: number; duplicatesMet: number }> {
  return db.read(async (tx) => {
    const live: { n: unknown; bytes: unknown }[] = await tx`
      select count(*) as n, coalesce(sum(size_bytes), 0) as bytes from segments where state = 'live'`;
    const state: { duplicates_met: unknown }[] = await tx`select duplicates_met from catalog_state where id = 1`;
    return {
      liveSegments: Number(only(live).n),
      liveBytes: Number(only(live).bytes),
      segmentsAside: (await quarantinedIn(db, tx)).length,
      duplicatesMet: Number(only(state).duplicates_met),
    };
  });
}

/** Totals over all projects, for the metrics page. */
export async function settledTotals(db: Db): Promise<{ outcome: string; events: number }[]> {
  const rows: { outcome: string; events: unknown }[] = await db.read(
    (tx) => tx`select outcome, sum(events) as events from settled_counts group by outcome`,
  );
  return rows.map((row) => ({ outcome: row.outcome, events: Number(row.events) }));
}
