import type { Db, Tx } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";

/** A file is in quarantine by a lease of this name, followed by its id. */
const ASIDE = "aside/";

/** For so long after the first failure, and twice as long after each more, */
const FIRST_MS = 60_000;
/** up to this. */
const LONGEST_MS = 3_600_000;

/** Compaction leaves a file alone for a while, because a job failed of it; gives for how long. */
export async function quarantine(db: Db, id: string, holder: string): Promise<number> {
  return db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    await tx`delete from leases where name like ${`${ASIDE}%`} and expires_at_ms < ${nowMs}`;
    await tx`update segments set failures = failures + 1 where id = ${id}`;
    return putAside(tx, { id, holder, nowMs });
  });
}

/** A lease that lasts by the failures of the file, of which a job under way is none yet; gives how long. */
export async function putAside(tx: Tx, o: { id: string; holder: string; nowMs: number }): Promise<number> {
  const rows: { failures: unknown }[] = await tx`
    select failures - (select count(*) from compaction_files f join compaction_jobs j on j.id = f.job_id
      where f.segment_id = ${o.id} and f.is_input = 1) as failures
    from segments where id = ${o.id}`;
  const failures = Math.max(1, Number(rows[0]?.failures ?? 1));
  const forMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  await tx`insert into leases (name, holder, expires_at_ms) values (${ASIDE + o.id}, ${o.holder}, ${o.nowMs + forMs})
    on conflict (name) do update set holder = excluded.holder, expires_at_ms = excluded.expires_at_ms`;
  return forMs;
}

/** Live files that compaction leaves alone now. */
export async function quarantined(db: Db): Promise<string[]> {
  return db.read((tx) => quarantinedIn(db, tx));
}

export async function quarantinedIn(db: Db, tx: Tx): Promise<string[]> {
  const nowMs = await catalogNowMs(db, tx);
  const rows: { id: string }[] = await tx`
    select s.id from segments s where s.state = 'live' and exists (select 1 from ${leaseOn(tx, nowMs)}) order by s.id`;
  return rows.map(({ id }) => id);
}

export async function isAside(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const rows: unknown[] = await tx`select 1 from leases where name = ${ASIDE + id} and expires_at_ms >= ${nowMs}`;
  return rows.length > 0;
}

/** What keeps compaction from the segment `s`, for `exists`: that it is in quarantine, or that a job has it. */
export function keptFrom(tx: Tx, nowMs: number) {
  return tx`(select 1 from ${leaseOn(tx, nowMs)} union all
    select 1 from compaction_files f where f.segment_id = s.id and f.is_input = 1)`;
}

function leaseOn(tx: Tx, nowMs: number) {
  return tx`leases l where l.expires_at_ms >= ${nowMs} and l.name = ${ASIDE} || s.id`;
}
