import type { Db, Tx } from "../../metadata/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { holdLease } from "./segments.ts";

/** A file is set aside by a lease of this name, followed by its id. */
const PREFIX = "aside/";

/** Compaction leaves a file alone for a while, because a job failed of it. */
export async function setAside(db: Db, id: string, holder: string, forMs: number): Promise<void> {
  await holdLease(db, PREFIX + id, holder, forMs);
  await db.write(async (tx) => {
    await tx`delete from leases where name like ${`${PREFIX}%`} and expires_at_ms < ${await catalogNowMs(db, tx)}`;
  });
}

/** Live files that compaction leaves alone now. */
export async function segmentsAside(db: Db): Promise<string[]> {
  return db.read((tx) => asideIn(db, tx));
}

export async function asideIn(db: Db, tx: Tx): Promise<string[]> {
  const rows: { id: string }[] = await tx`
    select s.id from segments s
    where s.state = 'live' and exists (${leaseOn(tx, await catalogNowMs(db, tx))}) order by s.id`;
  return rows.map(({ id }) => id);
}

/** The lease that keeps compaction from the segment `s`. */
export function leaseOn(tx: Tx, nowMs: number) {
  return tx`select 1 from leases l where l.name = ${PREFIX} || s.id and l.expires_at_ms >= ${nowMs}`;
}
