import { changed, type Db, type Tx } from "../../store/mod.ts";
import { RetryableError } from "../../types/mod.ts";
import { catalogNowMs, lockVersion } from "./clock.ts";
import { isAside, putAside } from "./quarantine.ts";

/** A job of compaction that is under way. */
export interface RunningJob {
  id: string;
  /** The process that does it. */
  holder: string;
  kind: string;
  beganAtMs: number;
  /** Files that it may replace; no other job has them. */
  inputs: string[];
}

/** What a job claims. */
interface JobClaim {
  holder: string;
  kind: string;
  /** Files that it may replace. */
  inputs: readonly string[];
  /** Files that it reads, as others may. */
  beside: readonly string[];
  ttlMs: number;
}

/**
 * Claims the files of a job, and gives the job's id: until `endJob` no other job gets the inputs, and none of the files is
 * removed. Null when one of them is not live any more, an input is another job's, or in quarantine: look again. The inputs count
 * as failed until `endJob`, so that they are in quarantine if the claim runs out because the process has died.
 */
export async function claimJob(db: Db, claim: JobClaim): Promise<string | null> {
  const id = crypto.randomUUID();
  const isClaimed = await db.write(async (tx) => {
    // First: no file is replaced between this look and the note that it is read.
    await lockVersion(tx);
    const nowMs = await catalogNowMs(db, tx);
    await endExpiredJobs(tx, nowMs);
    for (const file of [...claim.inputs, ...claim.beside]) if (!(await isLive(tx, file))) return false;
    for (const file of claim.inputs) if ((await isInput(tx, file)) || (await isAside(tx, file, nowMs))) return false;
    await tx`insert into compaction_jobs (id, holder, kind, began_at_ms, expires_at_ms)
      values (${id}, ${claim.holder}, ${claim.kind}, ${nowMs}, ${nowMs + claim.ttlMs})`;
    for (const file of claim.inputs) {
      await tx`insert into compaction_files (job_id, segment_id, is_input) values (${id}, ${file}, 1)`;
      await tx`update segments set failures = failures + 1 where id = ${file}`;
    }
    for (const file of claim.beside) await readBeside(tx, id, file);
    return true;
  });
  return isClaimed ? id : null;
}

/** The claim holds for `ttlMs` more. False when it has run out, and another process has ended it. */
export async function renewJob(db: Db, id: string, ttlMs: number): Promise<boolean> {
  return db.write(async (tx) => {
    const expiresAtMs = (await catalogNowMs(db, tx)) + ttlMs;
    return changed(await tx`update compaction_jobs set expires_at_ms = ${expiresAtMs} where id = ${id}`) === 1;
  });
}

/** The job has ended, well or not. Nothing happens when its claim has run out. */
export async function endJob(db: Db, id: string): Promise<void> {
  await db.write(async (tx) => {
    if (changed(await tx`delete from compaction_jobs where id = ${id}`) === 0) return;
    await tx`update segments set failures = failures - 1 where failures > 0
      and id in (select segment_id from compaction_files where job_id = ${id} and is_input = 1)`;
    await tx`delete from compaction_files where job_id = ${id}`;
  });
}

/** Ends all jobs as well as can be: after a restore no process has one, and nothing has failed. */
export async function endAllJobs(db: Db): Promise<void> {
  for (const { id } of await runningJobs(db)) await endJob(db, id);
}

/** Jobs under way, the oldest first. */
export async function runningJobs(db: Db): Promise<RunningJob[]> {
  return db.read((tx) => runningJobsIn(tx));
}

export async function runningJobsIn(tx: Tx): Promise<RunningJob[]> {
  const jobs: { id: string; holder: string; kind: string; began_at_ms: unknown }[] = await tx`
    select id, holder, kind, began_at_ms from compaction_jobs order by began_at_ms, id`;
  const files: { job_id: string; segment_id: string }[] = await tx`
    select job_id, segment_id from compaction_files where is_input = 1 order by segment_id`;
  return jobs.map(({ id, holder, kind, began_at_ms }) => ({
    ...{ id, holder, kind, beganAtMs: Number(began_at_ms) },
    inputs: files.flatMap((file) => (file.job_id === id ? [file.segment_id] : [])),
  }));
}

/** Within a swap: throws RetryableError `compaction_conflict` unless the job still has its claim, and keeps it until the swap ends. */
export async function checkJob(tx: Tx, id: string): Promise<void> {
  const result = await tx`update compaction_jobs set expires_at_ms = expires_at_ms where id = ${id}`;
  if (changed(result) === 1) return;
  throw new RetryableError(
    "compaction_conflict",
    "the claim of this job has run out: another compactor may have its files",
  );
}

/** Notes that a job reads a file: it stays until the job ends. */
export async function readBeside(tx: Tx, jobId: string, segmentId: string): Promise<void> {
  await tx`insert into compaction_files (job_id, segment_id, is_input) values (${jobId}, ${segmentId}, 0)
    on conflict (job_id, segment_id) do nothing`;
}

/** Ends jobs whose claim has run out, because their process died or stands still: their inputs go into quarantine. */
export async function endExpiredJobs(tx: Tx, nowMs: number): Promise<void> {
  const expired: { id: string; holder: string }[] = await tx`
    delete from compaction_jobs where expires_at_ms < ${nowMs} returning id, holder`;
  for (const { id, holder } of expired) {
    const inputs: { segment_id: string }[] = await tx`
      select segment_id from compaction_files where job_id = ${id} and is_input = 1`;
    for (const { segment_id } of inputs) await putAside(tx, { id: segment_id, holder, nowMs });
    await tx`delete from compaction_files where job_id = ${id}`;
  }
}

async function isLive(tx: Tx, id: string): Promise<boolean> {
  const rows: unknown[] = await tx`select 1 from segments where id = ${id} and state = 'live'`;
  return rows.length > 0;
}

async function isInput(tx: Tx, id: string): Promise<boolean> {
  const rows: unknown[] = await tx`select 1 from compaction_files where segment_id = ${id} and is_input = 1`;
  return rows.length > 0;
}
