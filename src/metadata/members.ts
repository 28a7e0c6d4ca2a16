import type { Stored, Tx } from "../store/mod.ts";
import { removeAccessOf } from "./access.ts";
import { removeInvitesBy } from "./invites.ts";
import { LEVELS } from "./users.ts";

/**
 * Ends a membership: the user's sessions, keys, password, login links, levels, roles and invitations end in this transaction. Its row
 * stays, because records name it as their author. A later member with its e-mail is another user.
 */
export async function removeMember(tx: Tx, userId: number, nowMs: number): Promise<void> {
  await tx`update users set removed_at_ms = ${nowMs} where id = ${userId}`;
  await tx`delete from sessions where user_id = ${userId}`;
  await tx`delete from passwords where user_id = ${userId}`;
  await tx`update login_links set used_at_ms = ${nowMs} where user_id = ${userId} and used_at_ms is null`;
  await tx`update personal_api_keys set revoked_at_ms = ${nowMs} where user_id = ${userId} and revoked_at_ms is null`;
  await tx`delete from role_memberships where user_id = ${userId}`;
  await removeAccessOf(tx, { userId });
  await removeInvitesBy(tx, userId, LEVELS);
}

/** When each of these users logged in last, epoch milliseconds; absent where no session of it is left. */
export async function lastLogins(tx: Tx, userIds: readonly number[]): Promise<Map<number, number>> {
  if (userIds.length === 0) return new Map();
  const rows: { user_id: Stored; at_ms: Stored }[] = await tx`
    select user_id, max(created_at_ms) as at_ms from sessions where user_id in ${tx([...userIds])} group by user_id`;
  return new Map(rows.map((row) => [Number(row.user_id), Number(row.at_ms)]));
}
