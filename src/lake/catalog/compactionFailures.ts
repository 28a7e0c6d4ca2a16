import type { Db, Tx } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";

/** How often compaction has failed at one kind of work since the catalog was made. */
export interface CompactionFailures {
  /** Of a job, or `look` and `collect` for what comes before and after jobs. */
  kind: string;
  failures: number;
  /** Of the last one. */
  lastAtMs: number;
  lastError: string;
}

/** Characters of an error that are kept: enough to know it by. */
const ERROR_MAX_CHARS = 500;

/** Counts a failure of a compactor where operators see it: in a process of its own it would only be in a log. */
export async function noteCompactionFailure(db: Db, kind: string, error: string): Promise<void> {
  const text = error.slice(0, ERROR_MAX_CHARS);
  await db.write(async (tx) => {
    await tx`insert into compaction_failures (kind, failures, last_at_ms, last_error)
      values (${kind}, 1, ${await catalogNowMs(db, tx)}, ${text})
      on conflict (kind) do update set failures = compaction_failures.failures + 1,
        last_at_ms = excluded.last_at_ms, last_error = excluded.last_error`;
  });
}

/** By kind, those that failed last first. */
export async function compactionFailuresIn(tx: Tx): Promise<CompactionFailures[]> {
  const rows: Record<string, unknown>[] = await tx`
    select kind, failures, last_at_ms, last_error from compaction_failures order by last_at_ms desc, kind`;
  return rows.map((row) => ({
    kind: String(row.kind),
    failures: Number(row.failures),
    lastAtMs: Number(row.last_at_ms),
    lastError: String(row.last_error),
  }));
}
