import {
  changed,
  type Db,
  type Listed,
  numberOrNull,
  type Page,
  type Stored,
  selectPage,
  type Tx,
} from "../store/mod.ts";
import { only } from "../types/mod.ts";
import { equalHashes, hashSecret, maskSecret, newPersonalApiKeyValue, randomId } from "./secrets.ts";
import type { Level } from "./users.ts";

export interface PersonalApiKey {
  id: string;
  userId: number;
  label: string;
  maskValue: string;
  /** `<object>:read`, `<object>:write` or `*`; an empty list allows nothing. */
  scopes: string[];
  /** Environments the key is limited to; empty: every project. */
  scopedTeams: number[];
  /** The one organisation, or empty, which means the same. */
  scopedOrganizations: string[];
  /** What the key may do at most inside the organisation. */
  level: Level;
  createdAtMs: number;
  lastUsedAtMs: number | null;
  lastRolledAtMs: number | null;
}

interface KeyRow {
  id: string;
  user_id: Stored;
  label: string;
  secure_value: string;
  mask_value: string;
  scopes: string;
  scoped_teams: string;
  scoped_organizations: string;
  level: Level;
  created_at_ms: Stored;
  last_used_at_ms: Stored | null;
  last_rolled_at_ms: Stored | null;
}

const LAST_USED_REFRESH_MS = 3_600_000;

function fromRow(row: KeyRow): PersonalApiKey {
  return {
    id: row.id,
    userId: Number(row.user_id),
    label: row.label,
    maskValue: row.mask_value,
    scopes: JSON.parse(row.scopes),
    scopedTeams: JSON.parse(row.scoped_teams),
    scopedOrganizations: JSON.parse(row.scoped_organizations),
    level: row.level,
    createdAtMs: Number(row.created_at_ms),
    lastUsedAtMs: numberOrNull(row.last_used_at_ms),
    lastRolledAtMs: numberOrNull(row.last_rolled_at_ms),
  };
}

export interface NewPersonalApiKey {
  userId: number;
  label: string;
  scopes: string[];
  scopedTeams: number[];
  scopedOrganizations?: string[];
  level: Level;
  nowMs: number;
  /** Given by the operator; made when absent. */
  value?: string;
}

/** Stores the hash only: `value` cannot be shown again. */
export async function createPersonalApiKey(
  tx: Tx,
  o: NewPersonalApiKey,
): Promise<{ key: PersonalApiKey; value: string }> {
  const value = o.value ?? newPersonalApiKeyValue();
  const row = {
    id: randomId(16),
    user_id: o.userId,
    label: o.label,
    secure_value: hashSecret(value),
    mask_value: maskSecret(value),
    scopes: JSON.stringify(o.scopes),
    scoped_teams: JSON.stringify(o.scopedTeams),
    scoped_organizations: JSON.stringify(o.scopedOrganizations ?? []),
    level: o.level,
    created_at_ms: o.nowMs,
  };
  const rows: KeyRow[] = await tx`insert into personal_api_keys ${tx(row)} returning *`;
  return { key: fromRow(only(rows)), value };
}

/** The valid key with this value, or null. */
export async function findPersonalApiKey(tx: Tx, value: string): Promise<PersonalApiKey | null> {
  const hash = hashSecret(value);
  const rows: KeyRow[] =
    await tx`select * from personal_api_keys where secure_value = ${hash} and revoked_at_ms is null`;
  const row = rows[0];
  return row === undefined || !equalHashes(row.secure_value, hash) ? null : fromRow(row);
}

/** Whether the value was ever a key, revoked or not. */
export async function personalApiKeyExists(tx: Tx, value: string): Promise<boolean> {
  const rows: unknown[] = await tx`select id from personal_api_keys where secure_value = ${hashSecret(value)}`;
  return rows.length > 0;
}

/** Notes the use of a key, at most once an hour. */
export async function touchPersonalApiKey(db: Db, key: PersonalApiKey, nowMs: number): Promise<void> {
  if (key.lastUsedAtMs !== null && nowMs - key.lastUsedAtMs < LAST_USED_REFRESH_MS) return;
  await db.write((tx) => tx`update personal_api_keys set last_used_at_ms = ${nowMs} where id = ${key.id}`);
}

export async function findPersonalApiKeyById(tx: Tx, id: string): Promise<PersonalApiKey | null> {
  const rows: KeyRow[] = await tx`select * from personal_api_keys where id = ${id} and revoked_at_ms is null`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** One page of the keys that are not revoked, oldest first; of one user, or of all. */
export function listPersonalApiKeys(tx: Tx, o: Page & { userId?: number }): Promise<Listed<PersonalApiKey>> {
  const where = tx`revoked_at_ms is null ${o.userId === undefined ? tx`` : tx`and user_id = ${o.userId}`}`;
  return selectPage(tx, { table: "personal_api_keys", where, order: tx`created_at_ms, id`, read: fromRow }, o);
}

/** Saves what a client may change of a key. */
export async function updatePersonalApiKey(tx: Tx, key: PersonalApiKey): Promise<void> {
  const row = {
    label: key.label,
    scopes: JSON.stringify(key.scopes),
    scoped_teams: JSON.stringify(key.scopedTeams),
    scoped_organizations: JSON.stringify(key.scopedOrganizations),
    level: key.level,
  };
  await tx`update personal_api_keys set ${tx(row)} where id = ${key.id}`;
}

/** Gives a key a new value; the old one is worth nothing from the end of the transaction on. */
export async function rollPersonalApiKey(
  tx: Tx,
  id: string,
  nowMs: number,
): Promise<{ key: PersonalApiKey; value: string } | null> {
  const value = newPersonalApiKeyValue();
  const row = { secure_value: hashSecret(value), mask_value: maskSecret(value), last_rolled_at_ms: nowMs };
  const rows: KeyRow[] =
    await tx`update personal_api_keys set ${tx(row)} where id = ${id} and revoked_at_ms is null returning *`;
  return rows[0] === undefined ? null : { key: fromRow(rows[0]), value };
}

/** Whether there was such a key to revoke. */
export async function revokePersonalApiKey(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const result =
    await tx`update personal_api_keys set revoked_at_ms = ${nowMs} where id = ${id} and revoked_at_ms is null`;
  return changed(result) === 1;
}
