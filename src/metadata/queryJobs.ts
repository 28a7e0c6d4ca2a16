import { changed, numberOrNull, type Stored, type Tx } from "./db.ts";

export type JobState = "queued" | "running" | "done" | "failed";

/** A calculation in the background, and how far it is. */
export interface QueryJob {
  teamId: number;
  /** Chosen by the client, or the cache key. */
  id: string;
  /** New for every calculation under the same id. */
  runId: string;
  cacheKey: string;
  /** JSON text of what is to be calculated. */
  question: string;
  state: JobState;
  /** Of a failed one; null where the reason is not for clients. */
  errorMessage: string | null;
  startedAtMs: number;
  pickedUpAtMs: number | null;
  endedAtMs: number | null;
  /** Forgotten then. */
  expiresAtMs: number;
}

interface JobRow {
  team_id: Stored;
  id: string;
  run_id: string;
  cache_key: string;
  question: string;
  state: JobState;
  error_message: string | null;
  started_at_ms: Stored;
  picked_up_at_ms: Stored | null;
  ended_at_ms: Stored | null;
  expires_at_ms: Stored;
}

const fromRow = (row: JobRow): QueryJob => ({
  teamId: Number(row.team_id),
  id: row.id,
  runId: row.run_id,
  cacheKey: row.cache_key,
  question: row.question,
  state: row.state,
  errorMessage: row.error_message,
  startedAtMs: Number(row.started_at_ms),
  pickedUpAtMs: numberOrNull(row.picked_up_at_ms),
  endedAtMs: numberOrNull(row.ended_at_ms),
  expiresAtMs: Number(row.expires_at_ms),
});

export const isPending = (job: QueryJob): boolean => job.state === "queued" || job.state === "running";

/** Null for one that is unknown, forgotten or of another environment. */
export async function findJob(tx: Tx, teamId: number, id: string, nowMs: number): Promise<QueryJob | null> {
  const rows: JobRow[] = await tx`
    select * from query_jobs where team_id = ${teamId} and id = ${id} and expires_at_ms > ${nowMs}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** By the cache key of their result: the job that is not done yet, else the last one where that failed. */
export async function findOpenJobs(
  tx: Tx,
  teamId: number,
  cacheKeys: readonly string[],
  nowMs: number,
): Promise<Map<string, QueryJob>> {
  if (cacheKeys.length === 0) return new Map();
  const rows: JobRow[] = await tx`
    select * from query_jobs where team_id = ${teamId} and cache_key in ${tx([...new Set(cacheKeys)])}
    and expires_at_ms > ${nowMs} order by started_at_ms`;
  const open = new Map<string, QueryJob>();
  for (const [cacheKey, jobs] of Map.groupBy(rows.map(fromRow), (job) => job.cacheKey)) {
    const job = jobs.find(isPending) ?? jobs.at(-1)!;
    if (job.state !== "done") open.set(cacheKey, job);
  }
  return open;
}

/** Makes a job, unless one of that id is not done yet; gives the one that stands, and forgets what is over. */
export async function startJob(
  tx: Tx,
  o: Pick<QueryJob, "teamId" | "id" | "runId" | "cacheKey" | "question" | "startedAtMs" | "expiresAtMs">,
): Promise<QueryJob> {
  await tx`delete from query_jobs where expires_at_ms <= ${o.startedAtMs}`;
  const row = {
    team_id: o.teamId,
    id: o.id,
    run_id: o.runId,
    cache_key: o.cacheKey,
    question: o.question,
    state: "queued",
    error_message: null,
    started_at_ms: o.startedAtMs,
    picked_up_at_ms: null,
    ended_at_ms: null,
    expires_at_ms: o.expiresAtMs,
  };
  const { team_id: _, id: __, ...rest } = row;
  const rows: JobRow[] = await tx`insert into query_jobs ${tx(row)} on conflict (team_id, id) do nothing returning *`;
  if (rows[0] !== undefined) return fromRow(rows[0]);
  await tx`update query_jobs set ${tx(rest)}
    where team_id = ${o.teamId} and id = ${o.id} and state in ('done', 'failed')`;
  return (await findJob(tx, o.teamId, o.id, o.startedAtMs))!;
}

/** Of one run only: a later one under the same id is left alone. */
export interface JobRun {
  teamId: number;
  id: string;
  runId: string;
}

/** False when it was taken back meanwhile. */
export async function pickUpJob(tx: Tx, run: JobRun, nowMs: number): Promise<boolean> {
  const result = await tx`update query_jobs
    set state = 'running', picked_up_at_ms = coalesce(picked_up_at_ms, ${nowMs})
    where team_id = ${run.teamId} and id = ${run.id} and run_id = ${run.runId} and state in ('queued', 'running')`;
  return changed(result) > 0;
}

export async function endJob(
  tx: Tx,
  run: JobRun,
  o: {
    state: "done" | "failed";
    errorMessage: string | null;
    cacheKey: string;
    endedAtMs: number;
    expiresAtMs: number;
  },
): Promise<void> {
  const row = {
    state: o.state,
    error_message: o.errorMessage,
    cache_key: o.cacheKey,
    ended_at_ms: o.endedAtMs,
    expires_at_ms: o.expiresAtMs,
  };
  await tx`update query_jobs set ${tx(row)}
    where team_id = ${run.teamId} and id = ${run.id} and run_id = ${run.runId}`;
}

/** Forgets a run, where it could not be handed on. */
export async function dropJob(tx: Tx, run: JobRun): Promise<void> {
  await tx`delete from query_jobs where team_id = ${run.teamId} and id = ${run.id} and run_id = ${run.runId}`;
}

/** Orders whoever runs a query under this id to end it. A job that is done already stays; gives whether there is one. */
export async function cancelQuery(tx: Tx, teamId: number, id: string, nowMs: number): Promise<{ wasDone: boolean }> {
  const job = await findJob(tx, teamId, id, nowMs);
  if (job !== null && !isPending(job)) return { wasDone: true };
  await tx`delete from query_jobs where team_id = ${teamId} and id = ${id}`;
  await tx`insert into query_cancels ${tx({ team_id: teamId, query_id: id, at_ms: nowMs })}
    on conflict (team_id, query_id) do update set at_ms = excluded.at_ms`;
  return { wasDone: false };
}

/** Orders given at or after a moment. */
export async function cancelsSince(tx: Tx, sinceMs: number): Promise<{ teamId: number; id: string; atMs: number }[]> {
  const rows: { team_id: Stored; query_id: string; at_ms: Stored }[] = await tx`
    select team_id, query_id, at_ms from query_cancels where at_ms >= ${sinceMs}`;
  return rows.map((row) => ({ teamId: Number(row.team_id), id: row.query_id, atMs: Number(row.at_ms) }));
}

export async function forgetCancels(tx: Tx, beforeMs: number): Promise<void> {
  await tx`delete from query_cancels where at_ms < ${beforeMs}`;
}
