import type { Db, Tx } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";
import { COMPACTOR_LEASE } from "./segments.ts";

/** A file is in quarantine by a lease of this name, followed by its id, */
const ASIDE = "aside/";
/** and by one of this name while a job works with it, should the job's process die. */
const TRIED = "tried/";

/** For so long after the first failure, and twice as long after each more, */
const FIRST_MS = 60_000;
/** up to this. */
const LONGEST_MS = 3_600_000;

/**
 * Notes before a job that it works with these files. Until `endTrying` they count as failed; if the holder loses its
 * compactor's lease meanwhile, because its process died, they are in quarantine as after a failure.
 */
export async function beginTrying(db: Db, ids: readonly string[], holder: string): Promise<void> {
  await db.write(async (tx) => {
    for (const id of ids) await holdAside(db, tx, { name: TRIED + id, id, holder });
  });
}

/** Keeps what `beginTrying` noted while a job goes on: the process may die at its end, too. */
export async function keepTrying(db: Db, holder: string): Promise<void> {
  await db.write(async (tx) => {
    const untilMs = (await catalogNowMs(db, tx)) + FIRST_MS;
    await tx`update leases set expires_at_ms = ${untilMs}
      where name like ${`${TRIED}%`} and holder = ${holder} and expires_at_ms < ${untilMs}`;
  });
}

/** Takes back what `beginTrying` noted: the job has ended, well or not. */
export async function endTrying(db: Db, ids: readonly string[], holder: string): Promise<void> {
  await db.write(async (tx) => {
    for (const id of ids) {
      await tx`update segments set failures = failures - 1 where id = ${id} and failures > 0`;
      await tx`delete from leases where name = ${TRIED + id} and holder = ${holder}`;
    }
  });
}

/** Compaction leaves a file alone for a while, because a job failed of it; gives for how long. */
export async function quarantine(db: Db, id: string, holder: string): Promise<number> {
  return db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    await tx`delete from leases
      where (name like ${`${ASIDE}%`} or name like ${`${TRIED}%`}) and expires_at_ms < ${nowMs}`;
    return holdAside(db, tx, { name: ASIDE + id, id, holder });
  });
}

/** One failure more of a file, and a lease that lasts accordingly; gives how long. */
async function holdAside(db: Db, tx: Tx, o: { name: string; id: string; holder: string }): Promise<number> {
  const rows: { failures: unknown }[] = await tx`
    update segments set failures = failures + 1 where id = ${o.id} returning failures`;
  const tried: unknown[] = o.name.startsWith(ASIDE) ? await tx`select 1 from leases where name = ${TRIED + o.id}` : [];
  // A job that is under way counts already.
  const failures = Number(rows[0]?.failures ?? 1) - tried.length;
  const forMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  const untilMs = (await catalogNowMs(db, tx)) + forMs;
  await tx`insert into leases (name, holder, expires_at_ms) values (${o.name}, ${o.holder}, ${untilMs})
    on conflict (name) do update set holder = excluded.holder, expires_at_ms = excluded.expires_at_ms`;
  return forMs;
}

/** Live files that compaction leaves alone now. */
export async function quarantined(db: Db): Promise<string[]> {
  return db.read((tx) => quarantinedIn(db, tx));
}

export async function quarantinedIn(db: Db, tx: Tx): Promise<string[]> {
  const rows: { id: string }[] = await tx`
    select s.id from segments s
    where s.state = 'live' and exists (${leaseOn(tx, await catalogNowMs(db, tx))}) order by s.id`;
  return rows.map(({ id }) => id);
}

/** The lease that keeps compaction from the segment `s`. */
export function leaseOn(tx: Tx, nowMs: number) {
  return tx`select 1 from leases l where l.expires_at_ms >= ${nowMs} and (l.name = ${ASIDE} || s.id
    or (l.name = ${TRIED} || s.id
      and not exists (select 1 from leases c
        where c.name = ${COMPACTOR_LEASE} and c.holder = l.holder and c.expires_at_ms >= ${nowMs})))`;
}
