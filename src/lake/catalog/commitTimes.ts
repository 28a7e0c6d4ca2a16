import type { Db, Tx } from "../../store/mod.ts";

/** Upper ends of the steps in which commits are counted, milliseconds; the last has no end. */
export const COMMIT_STEPS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;

/** Commits of all workers since the first, by the step that their time falls into. */
export interface CommitTimes {
  /** As long as `COMMIT_STEPS_MS`, and one more for those that took longer. */
  commits: number[];
  sumMs: number;
}

/** Counts a commit by its time: part of the next commit's transaction, since a commit cannot tell its own. */
export async function noteCommitTime(tx: Tx, tookMs: number): Promise<void> {
  const found = COMMIT_STEPS_MS.findIndex((endMs) => tookMs <= endMs);
  const step = found === -1 ? COMMIT_STEPS_MS.length : found;
  await tx`insert into commit_times (step, commits, sum_ms) values (${step}, 1, ${Math.round(tookMs)})
    on conflict (step) do update set commits = commit_times.commits + 1, sum_ms = commit_times.sum_ms + excluded.sum_ms`;
}

export async function commitTimes(db: Db): Promise<CommitTimes> {
  const rows: { step: unknown; commits: unknown; sum_ms: unknown }[] = await db.read(
    (tx) => tx`select step, commits, sum_ms from commit_times`,
  );
  const commits = Array<number>(COMMIT_STEPS_MS.length + 1).fill(0);
  for (const row of rows) commits[Number(row.step)] = Number(row.commits);
  return { commits, sumMs: rows.reduce((sum, row) => sum + Number(row.sum_ms), 0) };
}
