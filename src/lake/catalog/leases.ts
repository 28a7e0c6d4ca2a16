import type { Db } from "../../store/mod.ts";
import { catalogNowMs } from "./clock.ts";

/** Takes or renews a lease; false when another process holds it. */
export async function holdLease(db: Db, name: string, holder: string, ttlMs: number): Promise<boolean> {
  return db.write(async (tx) => {
    const nowMs = await catalogNowMs(db, tx);
    const rows: unknown[] = await tx`
      insert into leases (name, holder, expires_at_ms) values (${name}, ${holder}, ${nowMs + ttlMs})
      on conflict (name) do update set holder = excluded.holder, expires_at_ms = excluded.expires_at_ms
      where leases.holder = excluded.holder or leases.expires_at_ms < ${nowMs}
      returning holder`;
    return rows.length === 1;
  });
}

/** Gives a lease back, so that the next holder need not wait for it to expire. */
export async function releaseLease(db: Db, name: string, holder: string): Promise<void> {
  await db.write((tx) => tx`delete from leases where name = ${name} and holder = ${holder}`);
}
