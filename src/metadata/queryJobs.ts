import { changed, numberOrNull, type Stored, type Tx } from "../store/mod.ts";
import { only, RetryableError, TerminalError } from "../types/mod.ts";
import { holdRow } from "./holdRow.ts";

type JobState = "queued" | "running" | "done" | "failed";

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
  /** How often a process took it: again after each process that died. */
  attempts: number;
  /** How many asked for it and have not ended it. */
  askers: number;
  /** Those of them that are users, one as often as it asked. */
  users: readonly number[];
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
  attempts: Stored;
  askers: Stored;
  users: string;
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
  attempts: Number(row.attempts),
  askers: Number(row.askers),
  users: row.users.split(" ").filter(Boolean).map(Number),
  errorMessage: row.error_message,
  startedAtMs: Number(row.started_at_ms),
  pickedUpAtMs: numberOrNull(row.picked_up_at_ms),
  endedAtMs: numberOrNull(row.ended_at_ms),
  expiresAtMs: Number(row.expires_at_ms),
});

/** How users are written into a job. */
export const usersText = (users: readonly (number | null)[]): string =>
  users.map((id) => (id === null ? "" : `${id} `)).join("");

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
    const job = jobs.find(isPending) ?? jobs.at(-1);
    if (job !== undefined && job.state !== "done") open.set(cacheKey, job);
  }
  return open;
}

/**
 * Makes a job, or joins the one of that id that is not done yet; gives the job of that id, and removes expired ones. `userId`: who asks;
 * null for no user. Throws RetryableError `queries_busy` where the project has `pendingMax` that are not done, and TerminalError
 * `query_id_taken` where another user has chosen that id.
 */
export async function startJob(
  tx: Tx,
  o: Pick<QueryJob, "teamId" | "id" | "runId" | "cacheKey" | "question" | "startedAtMs" | "expiresAtMs"> & {
    userId: number | null;
  },
  pendingMax: number,
): Promise<QueryJob> {
  await tx`delete from query_jobs where expires_at_ms <= ${o.startedAtMs}`;
  // First: two that begin the same at once must not both find none.
  await holdRow(tx, "environments", o.teamId);
  // An id of its own is that of one client, which asks again when it has heard nothing.
  const isOwn = o.id !== o.cacheKey;
  const standing = await findJob(tx, o.teamId, o.id, o.startedAtMs);
  if (isOwn && standing !== null && !isOf(standing, o.userId)) {
    throw new TerminalError("query_id_taken", "Another query has this id.");
  }
  if (standing !== null && isPending(standing)) {
    const joined = isOwn ? standing : await joinJob(tx, standing, o.userId);
    // Otherwise its last asker has just ended it.
    if (joined !== null) return joined;
  }
  const counted: { pending: Stored }[] = await tx`
    select count(*) as pending from query_jobs where team_id = ${o.teamId} and state in ('queued', 'running')`;
  if (Number(only(counted).pending) >= pendingMax) {
    throw new RetryableError("queries_busy", "too many background queries of the project are waiting");
  }
  const row = {
    team_id: o.teamId,
    id: o.id,
    run_id: o.runId,
    cache_key: o.cacheKey,
    question: o.question,
    state: "queued",
    task_id: null,
    attempts: 0,
    askers: 1,
    users: usersText([o.userId]),
    error_message: null,
    started_at_ms: o.startedAtMs,
    picked_up_at_ms: null,
    ended_at_ms: null,
    expires_at_ms: o.expiresAtMs,
  };
  const { team_id: _, id: __, ...rest } = row;
  const again: JobRow[] = await tx`update query_jobs set ${tx(rest)}
    where team_id = ${o.teamId} and id = ${o.id} returning *`;
  const rows: JobRow[] = again.length > 0 ? again : await tx`insert into query_jobs ${tx(row)} returning *`;
  return fromRow(only(rows));
}

/** Whether an id that a client chose is that of a user: nobody's is everybody's. */
const isOf = ({ users }: QueryJob, userId: number | null): boolean =>
  users.length === 0 || users.some((id) => id === userId);

/** Of one run only: a later one under the same id is left alone. */
export interface JobRun {
  teamId: number;
  id: string;
  runId: string;
}

/** Who asks for a job. */
export interface JobTaker {
  /** The task of the work queue that it has in hand. */
  taskId: string;
  /** The process. */
  worker: string;
  /** Takes a job only of a project of which nothing runs. */
  onlyStarved?: boolean;
  /** Leaves a job to the process that ran the last one of its project, where that one has nothing to do. */
  leaves?: boolean;
  nowMs: number;
}

/** `left`: a job waits that another process should take. */
export type TakenJob = { job: QueryJob } | "none" | "left";

/**
 * The job that a task of the work queue is to do now: the one that it had in hand before, if the process that did it died, else
 * the oldest of the project that has the fewest running and was served longest ago.
 */
export async function takeJob(tx: Tx, taker: JobTaker): Promise<TakenJob> {
  const { taskId, worker, nowMs } = taker;
  for (;;) {
    const held = await heldBy(tx, taskId, nowMs);
    const wanted = held ?? (await nextInTurn(tx, taker));
    if (wanted === null) return "none";
    const { teamId, id, runId, state } = wanted;
    if (held === null && taker.leaves && (await isForAnother(tx, teamId, taker))) return "left";
    // Another process may have been faster.
    const result = await tx`update query_jobs
      set state = 'running', task_id = ${taskId}, worker = ${worker}, attempts = attempts + 1,
        picked_up_at_ms = coalesce(picked_up_at_ms, ${nowMs})
      where team_id = ${teamId} and id = ${id} and run_id = ${runId} and state = ${state}`;
    const job = changed(result) > 0 ? await findJob(tx, teamId, id, nowMs) : null;
    if (job !== null) return { job };
  }
}

async function heldBy(tx: Tx, taskId: string, nowMs: number): Promise<QueryJob | null> {
  const rows: JobRow[] = await tx`
    select * from query_jobs where task_id = ${taskId} and state = 'running' and expires_at_ms > ${nowMs}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

async function nextInTurn(tx: Tx, { onlyStarved, nowMs }: JobTaker): Promise<QueryJob | null> {
  const rows: (JobRow & { running: Stored })[] = await tx`
    select j.*, t.running from query_jobs j join (
      select team_id, sum(case when state = 'running' then 1 else 0 end) as running,
        max(coalesce(picked_up_at_ms, 0)) as served_at_ms
      from query_jobs where expires_at_ms > ${nowMs} group by team_id
    ) t on t.team_id = j.team_id
    where j.state = 'queued' and j.expires_at_ms > ${nowMs}
    order by t.running, t.served_at_ms, j.started_at_ms, j.team_id, j.id limit 1`;
  const [row] = rows;
  return row === undefined || (onlyStarved && Number(row.running) > 0) ? null : fromRow(row);
}

/** Whether the process that has the files of a project near is another one, and has nothing to do. */
async function isForAnother(tx: Tx, teamId: number, { worker, nowMs }: JobTaker): Promise<boolean> {
  const last: { worker: string }[] = await tx`
    select worker from query_jobs where team_id = ${teamId} and worker is not null and expires_at_ms > ${nowMs}
    order by coalesce(picked_up_at_ms, 0) desc, case when worker = ${worker} then 0 else 1 end limit 1`;
  if (last[0] === undefined || last[0].worker === worker) return false;
  const busy = await tx`
    select 1 from query_jobs where worker = ${last[0].worker} and state = 'running' and expires_at_ms > ${nowMs} limit 1`;
  return busy.length === 0;
}

/** Whether a project waits of which nothing runs. */
export async function hasStarvedJobs(tx: Tx, nowMs: number): Promise<boolean> {
  const rows = await tx`
    select 1 from query_jobs j where j.state = 'queued' and j.expires_at_ms > ${nowMs} and not exists (
      select 1 from query_jobs r where r.team_id = j.team_id and r.state = 'running' and r.expires_at_ms > ${nowMs}
    ) limit 1`;
  return rows.length > 0;
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

/** One more asks for a run that is not done. Gives the run as it is then; null where it was ended. */
export async function joinJob(tx: Tx, { teamId, id, runId }: JobRun, userId: number | null): Promise<QueryJob | null> {
  await tx`update query_jobs set askers = askers + 1, users = users || ${usersText([userId])}
    where team_id = ${teamId} and id = ${id} and run_id = ${runId} and state in ('queued', 'running')`;
  const rows: JobRow[] = await tx`
    select * from query_jobs where team_id = ${teamId} and id = ${id} and run_id = ${runId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}
