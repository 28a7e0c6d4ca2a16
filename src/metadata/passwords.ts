import type { Tx } from "../store/mod.ts";
import { holdRow } from "./holdRow.ts";
import { endSessions } from "./sessions.ts";

/** The argon2id hash of a user's password; null for one that never set any. */
export async function readPasswordHash(tx: Tx, userId: number): Promise<string | null> {
  const rows: { hash: string }[] = await tx`select hash from passwords where user_id = ${userId}`;
  return rows[0]?.hash ?? null;
}

export interface NewPassword {
  userId: number;
  hash: string;
  /** The session that stays; null for none. */
  exceptSessionId: string | null;
  nowMs: number;
}

/** Saves the hash of a user's new password. What the old one has opened ends: all other sessions, and login links. */
export async function replacePassword(tx: Tx, o: NewPassword): Promise<void> {
  const { userId, hash, exceptSessionId: exceptId, nowMs } = o;
  // A login that has seen the old hash must not open a session after this.
  await holdRow(tx, "users", userId);
  const row = { user_id: userId, hash, set_at_ms: nowMs };
  await tx`insert into passwords ${tx(row)}
           on conflict (user_id) do update set hash = excluded.hash, set_at_ms = excluded.set_at_ms`;
  await endSessions(tx, { userId, exceptId });
  await tx`update login_links set used_at_ms = ${nowMs} where user_id = ${userId} and used_at_ms is null`;
}
