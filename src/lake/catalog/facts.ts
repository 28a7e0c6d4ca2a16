import type { Db } from "../../store/mod.ts";
import { type Lane, only } from "../../types/mod.ts";
import { type CompactionFailures, compactionFailuresIn } from "./compactionFailures.ts";
import { type RunningJob, runningJobsIn } from "./jobs.ts";
import { quarantinedIn } from "./quarantine.ts";

/** Figures of the catalog for operators, read in one snapshot. */
export interface CatalogFacts {
  positions: { generation: number; lane: Lane; partition: number; position: number; attempts: number }[];
  files: { kind: string; state: string; count: number; sizeBytes: number; rows: number }[];
  /** Events in quarantine that were not sent in again. */
  deadLetters: number;
  /** Messages of actors on their way out. */
  outbox: number;
  pins: number;
  /** As of `LakeOverview`. */
  setAside: string[];
  /** Of all compactors. */
  jobs: RunningJob[];
  compactionFailures: CompactionFailures[];
}

export async function catalogFacts(db: Db, generation: number): Promise<CatalogFacts> {
  return db.read(async (tx) => {
    const positions: Record<string, unknown>[] = await tx`
      select lane, partition_id, position, attempts from positions where generation = ${generation}
      order by partition_id, lane`;
    const files: Record<string, unknown>[] = await tx`
      select kind, state, count(*) as n, sum(size_bytes) as bytes, sum(row_count) as row_count from segments
      group by kind, state order by kind, state`;
    const one = async (rows: Promise<{ n: unknown }[]>) => Number(only(await rows).n);
    return {
      positions: positions.map((row) => ({
        generation,
        lane: String(row.lane) as Lane,
        partition: Number(row.partition_id),
        position: Number(row.position),
        attempts: Number(row.attempts),
      })),
      files: files.map((row) => ({
        kind: String(row.kind),
        state: String(row.state),
        count: Number(row.n),
        sizeBytes: Number(row.bytes),
        rows: Number(row.row_count),
      })),
      deadLetters: await one(tx`select count(*) as n from dead_letters where redriven_at_ms is null`),
      outbox: await one(tx`select count(*) as n from outbox`),
      pins: await one(tx`select count(*) as n from pins`),
      setAside: await quarantinedIn(db, tx),
      jobs: await runningJobsIn(tx),
      compactionFailures: await compactionFailuresIn(tx),
    };
  });
}
