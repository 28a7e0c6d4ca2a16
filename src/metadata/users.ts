import { randomUUID } from "node:crypto";
import { type Listed, type ListPage, numberOrNull, orderOf, type Stored, selectPage, type Tx } from "../store/mod.ts";
import { type JsonObject, only } from "../types/mod.ts";

/** Rights inside the organisation, lowest first. */
export const LEVELS = ["member", "admin", "owner"] as const;
export type Level = (typeof LEVELS)[number];

export interface User {
  id: number;
  uuid: string;
  distinctId: string;
  organizationId: string;
  level: Level;
  firstName: string;
  lastName: string;
  email: string;
  isEmailVerified: boolean;
  hedgehogConfig: JsonObject | null;
  roleAtOrganization: string;
  /** What `@current` means to this user. */
  currentEnvironmentId: number | null;
  /** Settings of the pages, by API name. */
  settings: JsonObject;
  createdAtMs: number;
  /** When its level was set last. */
  levelAtMs: number;
  /** Whether it is a member no more; its row stays, for what it made. */
  isRemoved: boolean;
}

interface UserRow {
  id: Stored;
  uuid: string;
  distinct_id: string;
  organization_id: string;
  level: Level;
  first_name: string;
  last_name: string;
  email: string;
  is_email_verified: Stored;
  hedgehog_config: string | null;
  role_at_organization: string;
  current_environment_id: Stored | null;
  settings: string;
  created_at_ms: Stored;
  level_at_ms: Stored | null;
  removed_at_ms: Stored | null;
}

function fromRow(row: UserRow): User {
  return {
    id: Number(row.id),
    uuid: row.uuid,
    distinctId: row.distinct_id,
    organizationId: row.organization_id,
    level: row.level,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    isEmailVerified: Number(row.is_email_verified) === 1,
    hedgehogConfig: row.hedgehog_config === null ? null : JSON.parse(row.hedgehog_config),
    roleAtOrganization: row.role_at_organization,
    currentEnvironmentId: numberOrNull(row.current_environment_id),
    settings: JSON.parse(row.settings),
    createdAtMs: Number(row.created_at_ms),
    levelAtMs: Number(row.level_at_ms ?? row.created_at_ms),
    isRemoved: row.removed_at_ms !== null,
  };
}

export async function createUser(
  tx: Tx,
  o: { organizationId: string; level: Level; firstName: string; email: string; nowMs: number },
): Promise<User> {
  const row = {
    uuid: randomUUID(),
    distinct_id: randomUUID(),
    organization_id: o.organizationId,
    level: o.level,
    first_name: o.firstName,
    last_name: "",
    email: o.email,
    is_email_verified: 0,
    role_at_organization: "",
    created_at_ms: o.nowMs,
  };
  const rows: UserRow[] = await tx`insert into users ${tx(row)} returning *`;
  return fromRow(only(rows));
}

/** Saves the fields that a user may change of its own record. */
export async function updateUser(tx: Tx, user: User): Promise<void> {
  const row = {
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    hedgehog_config: user.hedgehogConfig === null ? null : JSON.stringify(user.hedgehogConfig),
    role_at_organization: user.roleAtOrganization,
    current_environment_id: user.currentEnvironmentId,
    settings: JSON.stringify(user.settings),
  };
  await tx`update users set ${tx(row)} where id = ${user.id}`;
}

export async function setCurrentEnvironment(tx: Tx, userId: number, environmentId: number): Promise<void> {
  await tx`update users set current_environment_id = ${environmentId} where id = ${userId}`;
}

/** By id, also those that were removed; null ids are left out. */
export async function findUsers(tx: Tx, ids: readonly (number | null)[]): Promise<Map<number, User>> {
  const known = new Set(ids.filter((id) => id !== null));
  if (known.size === 0) return new Map();
  const rows: UserRow[] = await tx`select * from users where id in ${tx([...known])}`;
  return new Map(rows.map(fromRow).map((user) => [user.id, user]));
}

/** The member with this address of e-mail, in any case of its letters; the oldest of several. */
export async function findUserByEmail(tx: Tx, email: string): Promise<User | null> {
  const rows: UserRow[] = await tx`select * from users where removed_at_ms is null
    and (email = ${email} or lower(email) = ${email.toLowerCase()}) order by id limit 1`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** The oldest of the owners, at first the user made at the first start; keys made by command belong to it. */
export async function findOwner(tx: Tx): Promise<User | null> {
  const rows: UserRow[] =
    await tx`select * from users where level = 'owner' and removed_at_ms is null order by id limit 1`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** How many members there are. */
export async function countUsers(tx: Tx, organizationId: string): Promise<number> {
  const rows: { n: Stored }[] =
    await tx`select count(*) as n from users where organization_id = ${organizationId} and removed_at_ms is null`;
  return Number(only(rows).n);
}

/** Columns that members can be ordered by. */
export const MEMBER_ORDERS = { level: "level", joined_at: "created_at_ms", first_name: "first_name" } as const;

/** One page of the members. */
export function listUsers(tx: Tx, organizationId: string, page: ListPage): Promise<Listed<User>> {
  const where = tx`organization_id = ${organizationId} and removed_at_ms is null`;
  const rank = tx`case level when 'owner' then 2 when 'admin' then 1 else 0 end`;
  const order = orderOf(tx, page, { by: page.column === MEMBER_ORDERS.level ? rank : undefined });
  return selectPage(tx, { table: "users", where, order, read: fromRow }, page);
}

/** The member with this uuid, or null. */
export async function findUserByUuid(tx: Tx, organizationId: string, uuid: string): Promise<User | null> {
  const rows: UserRow[] = await tx`select * from users
    where uuid = ${uuid} and organization_id = ${organizationId} and removed_at_ms is null`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

export async function countOwners(tx: Tx, organizationId: string): Promise<number> {
  const rows: { n: Stored }[] = await tx`select count(*) as n from users
    where organization_id = ${organizationId} and level = 'owner' and removed_at_ms is null`;
  return Number(only(rows).n);
}

export async function setUserLevel(tx: Tx, o: { userId: number; level: Level; nowMs: number }): Promise<void> {
  await tx`update users set level = ${o.level}, level_at_ms = ${o.nowMs} where id = ${o.userId}`;
}
