import { changed, type Fragment, type Stored, type Tx } from "../store/mod.ts";

/** Rights on an object of a project, lowest first. */
export const OBJECT_LEVELS = ["none", "viewer", "editor", "manager"] as const;
export type ObjectLevel = (typeof OBJECT_LEVELS)[number];

/** Rights in an environment, lowest first. */
export const ENVIRONMENT_LEVELS = ["none", "member", "admin"] as const;
export type EnvironmentLevel = (typeof ENVIRONMENT_LEVELS)[number];

/** Kinds of objects that have levels. */
export const CONTROLLED_KINDS = ["insight", "dashboard", "cohort", "action"] as const;
export type ControlledKind = (typeof CONTROLLED_KINDS)[number];

/** As the API calls them: an environment is a `project`. */
export type AccessResource = ControlledKind | "project";

/** Where the records of each kind are; a table of several kinds says which rows count. */
const TABLES: Record<ControlledKind, { table: string; kind: string | null }> = {
  insight: { table: "insights", kind: null },
  dashboard: { table: "dashboards", kind: null },
  cohort: { table: "project_objects", kind: "cohort" },
  action: { table: "project_objects", kind: "action" },
};

/** What a level is about. */
export interface AccessTarget {
  teamId: number;
  resource: AccessResource;
  /** One record; null for all of the kind in the environment. That of an environment is its `teamId`. */
  resourceId: number | null;
}

/** Whose level it is: that of one user, of all with a role, or of all members where both are null. */
export interface AccessSubject {
  userId: number | null;
  roleId: string | null;
}

/** A level that somebody has set. */
export interface AccessControl extends AccessTarget, AccessSubject {
  level: ObjectLevel | EnvironmentLevel;
  /** The user that set it. */
  setBy: number;
  createdAtMs: number;
  updatedAtMs: number;
}

interface AccessRow {
  team_id: Stored;
  resource: AccessResource;
  resource_id: Stored;
  user_id: Stored;
  role_id: string;
  level: ObjectLevel | EnvironmentLevel;
  set_by: Stored;
  created_at_ms: Stored;
  updated_at_ms: Stored;
}

// In the primary key, where null would not be equal to null.
const NO_ID = 0;
const NO_ROLE = "";

const fromRow = (row: AccessRow): AccessControl => ({
  teamId: Number(row.team_id),
  resource: row.resource,
  resourceId: Number(row.resource_id) === NO_ID ? null : Number(row.resource_id),
  userId: Number(row.user_id) === NO_ID ? null : Number(row.user_id),
  roleId: row.role_id === NO_ROLE ? null : row.role_id,
  level: row.level,
  setBy: Number(row.set_by),
  createdAtMs: Number(row.created_at_ms),
  updatedAtMs: Number(row.updated_at_ms),
});

const keyColumns = ({ teamId, resource, resourceId, userId, roleId }: AccessTarget & AccessSubject) => ({
  team_id: teamId,
  resource,
  resource_id: resourceId ?? NO_ID,
  user_id: userId ?? NO_ID,
  role_id: roleId ?? NO_ROLE,
});

/** Sets a level, in place of the one that its subject had there. */
export async function setAccess(tx: Tx, control: AccessControl): Promise<void> {
  const row = {
    ...keyColumns(control),
    level: control.level,
    set_by: control.setBy,
    created_at_ms: control.createdAtMs,
    updated_at_ms: control.updatedAtMs,
  };
  await tx`insert into access_controls ${tx(row)}
    on conflict (team_id, resource, resource_id, user_id, role_id)
    do update set level = excluded.level, set_by = excluded.set_by, updated_at_ms = excluded.updated_at_ms`;
}

/** Takes a level back. False where there is none. */
export async function removeAccess(tx: Tx, of: AccessTarget & AccessSubject): Promise<boolean> {
  const key = keyColumns(of);
  const result = await tx`delete from access_controls where team_id = ${key.team_id} and resource = ${key.resource}
    and resource_id = ${key.resource_id} and user_id = ${key.user_id} and role_id = ${key.role_id}`;
  return changed(result) === 1;
}

/** All levels of one record, oldest first. */
export async function accessOf(tx: Tx, { teamId, resource, resourceId }: AccessTarget): Promise<AccessControl[]> {
  const rows: AccessRow[] = await tx`select * from access_controls
    where team_id = ${teamId} and resource = ${resource} and resource_id = ${resourceId ?? NO_ID}
    order by created_at_ms, user_id, role_id`;
  return rows.map(fromRow);
}

/** The levels of whole kinds in an environment, oldest first. */
export async function accessOfKinds(tx: Tx, teamId: number): Promise<AccessControl[]> {
  const rows: AccessRow[] = await tx`select * from access_controls
    where team_id = ${teamId} and resource_id = ${NO_ID} order by created_at_ms, resource, user_id, role_id`;
  return rows.map(fromRow);
}

export async function countAccess(tx: Tx, teamId: number): Promise<number> {
  const rows: { n: Stored }[] = await tx`select count(*) as n from access_controls where team_id = ${teamId}`;
  return Number(rows[0]!.n);
}

/** The levels that apply to a user: its own, those of its roles, those for all. `userId` null: those for all alone. */
function appliesTo(tx: Tx, userId: number | null): Fragment {
  const isForAll = tx`(user_id = ${NO_ID} and role_id = ${NO_ROLE})`;
  if (userId === null) return isForAll;
  return tx`(user_id = ${userId} or ${isForAll}
    or role_id in (select m.role_id from role_memberships m where m.user_id = ${userId}))`;
}

/** The levels of kinds and objects of an environment that apply to a user. */
export async function objectAccessOf(tx: Tx, o: { teamId: number; userId: number | null }): Promise<AccessControl[]> {
  const rows: AccessRow[] = await tx`select * from access_controls
    where team_id = ${o.teamId} and resource <> 'project' and ${appliesTo(tx, o.userId)}`;
  return rows.map(fromRow);
}

/** The levels of a kind and its objects in an environment, whoever they are of. */
export async function accessOfKind(tx: Tx, o: { teamId: number; kind: ControlledKind }): Promise<AccessControl[]> {
  const rows: AccessRow[] = await tx`select * from access_controls
    where team_id = ${o.teamId} and resource = ${o.kind}`;
  return rows.map(fromRow);
}

/** The levels of environments that apply to a user. */
export async function environmentAccessOf(tx: Tx, userId: number): Promise<AccessControl[]> {
  const rows: AccessRow[] = await tx`select * from access_controls
    where resource = 'project' and ${appliesTo(tx, userId)}`;
  return rows.map(fromRow);
}

/** Takes all levels of a user, or of a role, back. */
export async function removeAccessOf(tx: Tx, subject: { userId: number } | { roleId: string }): Promise<void> {
  const isOf = "userId" in subject ? tx`user_id = ${subject.userId}` : tx`role_id = ${subject.roleId}`;
  await tx`delete from access_controls where ${isOf}`;
}

/** Which records of a kind a user may see: all or none but these, and its own in any case. */
export interface Visible {
  isOpen: boolean;
  except: readonly number[];
  makerId: number;
}

/** Which cohorts and actions a question may name; null: every one. */
export interface Nameable {
  cohorts: Visible | null;
  actions: Visible | null;
}

export const ALL_NAMEABLE: Nameable = { cohorts: null, actions: null };

/** The condition that a user may see a record; every record where `visible` is null. */
export function isVisible(tx: Tx, visible: Visible | null): Fragment {
  if (visible === null) return tx`true`;
  const { isOpen, except, makerId } = visible;
  const isOwn = tx`coalesce(created_by, 0) = ${makerId}`;
  if (except.length === 0) return isOpen ? tx`true` : isOwn;
  return isOpen ? tx`(id not in ${tx([...except])} or ${isOwn})` : tx`(id in ${tx([...except])} or ${isOwn})`;
}

/** The same of a record that is at hand. */
export function sees({ isOpen, except, makerId }: Visible, { id, createdBy }: Made): boolean {
  return createdBy === makerId || except.includes(id) !== isOpen;
}

/** A record, and the user that made it. */
interface Made {
  id: number;
  createdBy: number | null;
}

/** Those of these records of a kind that a user may see. */
export async function visibleAmong(
  tx: Tx,
  o: { teamId: number; kind: ControlledKind; ids: readonly number[]; visible: Visible | null },
): Promise<Set<number>> {
  if (o.visible === null || o.ids.length === 0) return new Set(o.ids);
  const rows: { id: Stored }[] = await tx`select id from ${tx(TABLES[o.kind].table)}
    where team_id = ${o.teamId} and id in ${tx([...new Set(o.ids)])} and ${isVisible(tx, o.visible)}`;
  return new Set(rows.map(({ id }) => Number(id)));
}

/** The ids, as texts, of the records of a kind that a user may see. */
export function visibleIds(tx: Tx, o: { teamId: number; kind: ControlledKind; visible: Visible }): Fragment {
  const { table, kind } = TABLES[o.kind];
  return tx`select cast(id as text) from ${tx(table)}
    where team_id = ${o.teamId} ${kind === null ? tx`` : tx`and kind = ${kind}`} and ${isVisible(tx, o.visible)}`;
}
