import { randomUUID } from "node:crypto";
import { changed, type Listed, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import { DAY_MS, only } from "../types/mod.ts";
import { hashSecret, newLoginToken } from "./secrets.ts";
import type { Level } from "./users.ts";

/** How long the link of an invitation works. */
export const INVITE_MS = 3 * DAY_MS;
/** So long an invitation is listed after its link has ended. */
const KEPT_MS = 30 * DAY_MS;

/** An invitation that nobody has accepted. */
export interface Invite {
  /** For lists; it opens nothing. */
  id: string;
  organizationId: string;
  email: string;
  firstName: string;
  /** That of the new member. */
  level: Level;
  createdBy: number;
  createdAtMs: number;
  expiresAtMs: number;
}

interface InviteRow {
  id: string;
  organization_id: string;
  email: string;
  first_name: string;
  level: Level;
  created_by: Stored;
  created_at_ms: Stored;
  expires_at_ms: Stored;
}

const fromRow = (row: InviteRow): Invite => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  firstName: row.first_name,
  level: row.level,
  createdBy: Number(row.created_by),
  createdAtMs: Number(row.created_at_ms),
  expiresAtMs: Number(row.expires_at_ms),
});

export type NewInvite = Pick<Invite, "organizationId" | "email" | "firstName" | "level" | "createdBy"> & {
  nowMs: number;
};

/** Stores the hash only: `token` cannot be shown again. Invitations that ended long ago are deleted with it. */
export async function createInvite(tx: Tx, o: NewInvite): Promise<{ invite: Invite; token: string }> {
  await tx`delete from invites where expires_at_ms <= ${o.nowMs - KEPT_MS}`;
  const token = newLoginToken();
  const row = {
    id: randomUUID(),
    hash: hashSecret(token),
    organization_id: o.organizationId,
    email: o.email,
    first_name: o.firstName,
    level: o.level,
    created_by: o.createdBy,
    created_at_ms: o.nowMs,
    expires_at_ms: o.nowMs + INVITE_MS,
  };
  const rows: InviteRow[] = await tx`insert into invites ${tx(row)} returning *`;
  return { invite: fromRow(only(rows)), token };
}

/** The invitation whose link still works, or null. */
export async function findInviteByToken(tx: Tx, token: string, nowMs: number): Promise<Invite | null> {
  const rows: InviteRow[] =
    await tx`select * from invites where hash = ${hashSecret(token)} and expires_at_ms > ${nowMs}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

export async function findInvite(tx: Tx, organizationId: string, id: string): Promise<Invite | null> {
  const rows: InviteRow[] = await tx`select * from invites where id = ${id} and organization_id = ${organizationId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** One page, newest first; also those whose links have ended. */
export function listInvites(tx: Tx, organizationId: string, page: Page): Promise<Listed<Invite>> {
  const where = tx`organization_id = ${organizationId}`;
  return selectPage(tx, { table: "invites", where, order: tx`created_at_ms desc, id`, read: fromRow }, page);
}

/** Takes an invitation back. False where there is none. */
export async function removeInvite(tx: Tx, id: string): Promise<boolean> {
  return changed(await tx`delete from invites where id = ${id}`) === 1;
}

/** Takes all invitations of an address of e-mail back, in any case of its letters. */
export async function removeInvitesOf(tx: Tx, email: string): Promise<void> {
  await tx`delete from invites where email = ${email} or lower(email) = ${email.toLowerCase()}`;
}

/** Takes back what a user has invited above a level. */
export async function removeInvitesBy(tx: Tx, userId: number, levels: readonly Level[]): Promise<void> {
  if (levels.length === 0) return;
  await tx`delete from invites where created_by = ${userId} and level in ${tx([...levels])}`;
}
