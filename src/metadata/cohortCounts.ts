import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";

/** How many persons a cohort by filters has, and how it is known. */
export interface CohortCount {
  /** Null before the first calculation. */
  count: number | null;
  countedAtMs: number | null;
  isCalculating: boolean;
  /** Calculations that failed since the last one that did not. */
  errors: number;
}

/** A calculation in hand. */
export interface CohortTask {
  id: number;
  teamId: number;
  errors: number;
  /** Until when no other process takes it; it names the calculation. */
  claimedUntilMs: number;
}

interface CountRow {
  id: Stored;
  person_count: Stored | null;
  counted_at_ms: Stored | null;
  count_due_at_ms: Stored | null;
  count_started_at_ms: Stored | null;
  count_errors: Stored;
}

/** The counts of cohorts, by id. */
export async function readCohortCounts(
  tx: Tx,
  ids: readonly number[],
  nowMs: number,
): Promise<Map<number, CohortCount>> {
  if (ids.length === 0) return new Map();
  const rows: CountRow[] = await tx`
    select id, person_count, counted_at_ms, count_due_at_ms, count_started_at_ms, count_errors
    from project_objects where id in ${tx([...ids])}`;
  return new Map(
    rows.map((row) => {
      const dueAtMs = numberOrNull(row.count_due_at_ms);
      const count: CohortCount = {
        count: numberOrNull(row.person_count),
        countedAtMs: numberOrNull(row.counted_at_ms),
        isCalculating: row.count_started_at_ms !== null || (dueAtMs !== null && dueAtMs <= nowMs),
        errors: Number(row.count_errors),
      };
      return [Number(row.id), count];
    }),
  );
}

/** Has the persons of a cohort counted as soon as possible: its filters have changed. A calculation in hand counts no more. */
export async function wantCohortCount(tx: Tx, id: number, nowMs: number): Promise<void> {
  await tx`update project_objects set count_due_at_ms = ${nowMs}, count_started_at_ms = null, count_errors = 0 where id = ${id}`;
}

/** Notes when the list of a static cohort was calculated; it is never due again. */
export async function noteCohortCalculated(tx: Tx, id: number, atMs: number): Promise<void> {
  await tx`update project_objects set counted_at_ms = ${atMs} where id = ${id}`;
}

/** The projects with cohorts that are due, those that have waited longest first. */
export async function teamsWithDueCohorts(tx: Tx, nowMs: number): Promise<number[]> {
  const rows: { team_id: Stored }[] = await tx`
    select team_id from project_objects where kind = 'cohort' and deleted = 0 and count_due_at_ms <= ${nowMs}
    group by team_id order by min(count_due_at_ms), team_id`;
  return rows.map(({ team_id }) => Number(team_id));
}

/** Takes the cohort of a project that has waited longest; null where another process has taken all. */
export async function takeDueCohort(
  tx: Tx,
  teamId: number,
  o: { nowMs: number; ttlMs: number },
): Promise<CohortTask | null> {
  const claimedUntilMs = o.nowMs + o.ttlMs;
  const rows: { id: Stored; count_errors: Stored }[] = await tx`
    update project_objects set count_due_at_ms = ${claimedUntilMs}, count_started_at_ms = ${o.nowMs}
    where id = (select id from project_objects where team_id = ${teamId} and kind = 'cohort' and deleted = 0
      and count_due_at_ms <= ${o.nowMs} order by count_due_at_ms, id limit 1)
    and count_due_at_ms <= ${o.nowMs}
    returning id, count_errors`;
  const [row] = rows;
  return row === undefined ? null : { id: Number(row.id), teamId, errors: Number(row.count_errors), claimedUntilMs };
}

/** Ends a calculation. `counted`: null where it failed. Nothing happens where the cohort was changed meanwhile. */
export async function endCohortCount(
  tx: Tx,
  { id, claimedUntilMs, errors }: CohortTask,
  o: { counted: { count: number; atMs: number } | null; isFailure: boolean; dueAtMs: number },
): Promise<void> {
  const { counted, dueAtMs } = o;
  const count = counted === null ? tx`` : tx`person_count = ${counted.count}, counted_at_ms = ${counted.atMs},`;
  const failed = o.isFailure ? errors + 1 : errors;
  await tx`update project_objects set ${count} count_errors = ${counted === null ? failed : 0},
    count_started_at_ms = null, count_due_at_ms = ${dueAtMs}
    where id = ${id} and count_due_at_ms = ${claimedUntilMs}`;
}
