import type { Db } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { endExpiredJobs } from "./jobs.ts";

/**
 * Moves files without readers to `dead` and returns all dead ids: unlink their files, then `forget` them.
 * A pending file is abandoned when an epoch in it is stale, or the job that writes it has ended. A replaced one stays while a pin or a
 * job needs it.
 */
export async function collectable(db: Db): Promise<string[]> {
  return db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    await tx`delete from pins where expires_at_ms < ${nowMs}`;
    await endExpiredJobs(tx, nowMs);
    await tx`
      update segments set state = 'dead' where state = 'pending' and exists (
        select 1 from segment_partitions p join owners o on o.partition_id = p.partition_id
        where p.segment_id = segments.id and p.epoch <> o.epoch)`;
    await tx`
      update segments set state = 'dead' where state = 'pending'
        and not exists (select 1 from segment_partitions p where p.segment_id = segments.id)
        and not exists (select 1 from compaction_jobs j where j.id = segments.writer)`;
    await tx`
      update segments set state = 'dead' where state = 'replaced'
        and replaced_at <= coalesce((select min(version) from pins), replaced_at)
        and not exists (select 1 from compaction_files f where f.segment_id = segments.id)`;
    const rows: { id: string }[] = await tx`select id from segments where state = 'dead'`;
    return rows.map((row) => row.id);
  });
}

/** Removes the records of files that have been unlinked. */
export async function forget(db: Db, ids: string[]): Promise<void> {
  await db.write(async (tx) => {
    for (const id of ids) {
      await tx`delete from segments where id = ${id} and state = 'dead'`;
      await tx`delete from segment_teams where segment_id = ${id}`;
      await tx`delete from segment_partitions where segment_id = ${id}`;
    }
  });
}
