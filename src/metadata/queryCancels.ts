import { changed, type Stored, type Tx } from "../store/mod.ts";
import { findJob, isPending, type QueryJob, usersText } from "./queryJobs.ts";

/** What a request is ended by that its user has given an id: nobody else ends it. */
export const requestId = (userId: number | null, id: string): string => `${userId} ${id}`;

/**
 * A user that asks for the query of this id does so no more. Where it was the last one, the process that runs it is ordered to
 * end it, and so is one that answers a request of the user under this id. A finished job stays. Null for a job that the user has not
 * asked for.
 */
export async function cancelQuery(
  tx: Tx,
  { teamId, id, userId }: { teamId: number; id: string; userId: number },
  nowMs: number,
): Promise<{ wasDone: boolean } | null> {
  for (;;) {
    const job = await findJob(tx, teamId, id, nowMs);
    if (job !== null && !job.users.includes(userId)) return null;
    if (job !== null && !isPending(job)) return { wasDone: true };
    if (job !== null && !(await leaveJob(tx, job, userId))) continue;
    // By the run: the next one under this id goes on.
    const runs = job !== null && job.askers <= 1 ? [job.runId] : [];
    const requests = job === null || job.askers <= 1 ? [requestId(userId, id)] : [];
    for (const ended of [...requests, ...runs]) await orderEnd(tx, { teamId, id: ended, atMs: nowMs });
    return { wasDone: false };
  }
}

/** Without its last asker a job is forgotten. False where others changed it meanwhile. */
async function leaveJob(tx: Tx, { teamId, id, runId, askers, users }: QueryJob, userId: number): Promise<boolean> {
  const asBefore = tx`team_id = ${teamId} and id = ${id} and run_id = ${runId} and askers = ${askers}
    and state in ('queued', 'running')`;
  const result =
    askers > 1
      ? await tx`update query_jobs set askers = askers - 1, users = ${without(users, userId)} where ${asBefore}`
      : await tx`delete from query_jobs where ${asBefore}`;
  return changed(result) > 0;
}

/** Without one time of it. */
function without(users: readonly number[], userId: number): string {
  const at = users.indexOf(userId);
  return usersText(users.filter((_, i) => i !== at));
}

async function orderEnd(tx: Tx, { teamId, id, atMs }: { teamId: number; id: string; atMs: number }): Promise<void> {
  await tx`insert into query_cancels ${tx({ team_id: teamId, query_id: id, at_ms: atMs })}
    on conflict (team_id, query_id) do update set at_ms = excluded.at_ms`;
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
