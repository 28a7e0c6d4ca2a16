import { changed, type Db, type Stored, type Tx } from "../store/mod.ts";
import { readPasswordHash } from "./passwords.ts";
import { hashSecret, newLoginToken } from "./secrets.ts";
import { findOwner, findUsers, type User } from "./users.ts";

/** How long a login link works. */
export const LOGIN_LINK_MS = 30 * 60_000;

/** Makes a link by which a user sets a password once, and gives its token, which cannot be shown again. */
export async function createLoginLink(tx: Tx, userId: number, nowMs: number): Promise<string> {
  await tx`delete from login_links where expires_at_ms <= ${nowMs}`;
  const token = newLoginToken();
  const row = { hash: hashSecret(token), user_id: userId, expires_at_ms: nowMs + LOGIN_LINK_MS };
  await tx`insert into login_links ${tx(row)}`;
  return token;
}

/** The same for the owner, as long as it has no password; null after that, and where there is no owner. */
export function createOwnerLink(db: Db, nowMs: number): Promise<string | null> {
  return db.write(async (tx) => {
    const owner = await findOwner(tx);
    if (owner === null || (await readPasswordHash(tx, owner.id)) !== null) return null;
    return createLoginLink(tx, owner.id, nowMs);
  });
}

/** The user of a link that still works, or null. */
export async function findLoginLink(tx: Tx, token: string, nowMs: number): Promise<User | null> {
  const rows: { user_id: Stored }[] = await tx`select user_id from login_links
    where hash = ${hashSecret(token)} and used_at_ms is null and expires_at_ms > ${nowMs}`;
  const userId = rows[0] === undefined ? null : Number(rows[0].user_id);
  const user = userId === null ? undefined : (await findUsers(tx, [userId])).get(userId);
  return user === undefined || user.isRemoved ? null : user;
}

/** Uses a link up. False where it does not work any more. */
export async function useLoginLink(tx: Tx, token: string, nowMs: number): Promise<boolean> {
  const result = await tx`update login_links set used_at_ms = ${nowMs}
    where hash = ${hashSecret(token)} and used_at_ms is null and expires_at_ms > ${nowMs}`;
  return changed(result) === 1;
}
