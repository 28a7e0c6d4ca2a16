import { randomUUID } from "node:crypto";
import { changed, type Listed, numberOrNull, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import { only } from "../types/mod.ts";
import { removeAccessOf } from "./access.ts";

/** A name for some of the members, by which levels are set for all of them. */
export interface Role {
  id: string;
  organizationId: string;
  name: string;
  createdBy: number | null;
  createdAtMs: number;
}

interface RoleRow {
  id: string;
  organization_id: string;
  name: string;
  created_by: Stored | null;
  created_at_ms: Stored;
}

const fromRow = (row: RoleRow): Role => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
});

/** A member that has a role. */
export interface RoleMembership {
  id: string;
  roleId: string;
  userId: number;
  joinedAtMs: number;
}

interface RoleMembershipRow {
  id: string;
  role_id: string;
  user_id: Stored;
  joined_at_ms: Stored;
}

const membershipOf = (row: RoleMembershipRow): RoleMembership => ({
  id: row.id,
  roleId: row.role_id,
  userId: Number(row.user_id),
  joinedAtMs: Number(row.joined_at_ms),
});

const keyOf = (name: string): string => name.toLowerCase();

/** Null where there is a role of this name, in any case of its letters. */
export async function createRole(
  tx: Tx,
  o: { organizationId: string; name: string; userId: number; nowMs: number },
): Promise<Role | null> {
  const row = {
    id: randomUUID(),
    organization_id: o.organizationId,
    name: o.name,
    name_key: keyOf(o.name),
    created_by: o.userId,
    created_at_ms: o.nowMs,
  };
  const rows: RoleRow[] = await tx`insert into roles ${tx(row)} on conflict do nothing returning *`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** False where another role has the name. */
export async function renameRole(tx: Tx, id: string, name: string): Promise<boolean> {
  const result = await tx`update roles set name = ${name}, name_key = ${keyOf(name)} where id = ${id}
    and not exists (select 1 from roles r where r.name_key = ${keyOf(name)} and r.id <> ${id})`;
  return changed(result) === 1;
}

export async function findRole(tx: Tx, organizationId: string, id: string): Promise<Role | null> {
  const rows: RoleRow[] = await tx`select * from roles where id = ${id} and organization_id = ${organizationId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** One page, by name. */
export function listRoles(tx: Tx, organizationId: string, page: Page): Promise<Listed<Role>> {
  const where = tx`organization_id = ${organizationId}`;
  return selectPage(tx, { table: "roles", where, order: tx`name_key`, read: fromRow }, page);
}

/** With the levels that it has, and without its members. */
export async function removeRole(tx: Tx, id: string): Promise<void> {
  await tx`delete from role_memberships where role_id = ${id}`;
  await removeAccessOf(tx, { roleId: id });
  await tx`delete from roles where id = ${id}`;
}

/** Null where the user has the role already. */
export async function addToRole(
  tx: Tx,
  o: { roleId: string; userId: number; nowMs: number },
): Promise<RoleMembership | null> {
  const row = { id: randomUUID(), role_id: o.roleId, user_id: o.userId, joined_at_ms: o.nowMs };
  const rows: RoleMembershipRow[] =
    await tx`insert into role_memberships ${tx(row)} on conflict do nothing returning *`;
  return rows[0] === undefined ? null : membershipOf(only(rows));
}

/** Those of these roles, oldest first. */
export async function membershipsOf(tx: Tx, roleIds: readonly string[]): Promise<RoleMembership[]> {
  if (roleIds.length === 0) return [];
  const rows: RoleMembershipRow[] = await tx`select * from role_memberships where role_id in ${tx([...roleIds])}
    order by joined_at_ms, id`;
  return rows.map(membershipOf);
}

export async function findRoleMembership(tx: Tx, roleId: string, id: string): Promise<RoleMembership | null> {
  const rows: RoleMembershipRow[] = await tx`select * from role_memberships where id = ${id} and role_id = ${roleId}`;
  return rows[0] === undefined ? null : membershipOf(rows[0]);
}

export async function removeFromRole(tx: Tx, id: string): Promise<void> {
  await tx`delete from role_memberships where id = ${id}`;
}
