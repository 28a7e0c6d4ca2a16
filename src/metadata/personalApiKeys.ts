import { changed, type Db, type Tx } from "./db.ts";
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
  /** What the key may do at most inside the organisation. */
  level: Level;
  createdAtMs: number;
  lastUsedAtMs: number | null;
  lastRolledAtMs: number | null;
}

interface KeyRow {
  id: string;
  user_id: number | string;
  label: string;
  secure_value: string;
  mask_value: string;
  scopes: string;
  scoped_teams: string;
  level: Level;
  created_at_ms: number | string;
  last_used_at_ms: number | string | null;
  last_rolled_at_ms: number | string | null;
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
    level: row.level,
    createdAtMs: Number(row.created_at_ms),
    lastUsedAtMs: row.last_used_at_ms === null ? null : Number(row.last_used_at_ms),
    lastRolledAtMs: row.last_rolled_at_ms === null ? null : Number(row.last_rolled_at_ms),
  };
}

export interface NewPersonalApiKey {
  userId: number;
  label: string;
  scopes: string[];
  scopedTeams: number[];
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
    level: o.level,
    created_at_ms: o.nowMs,
  };
  const rows: KeyRow[] = await tx`insert into personal_api_keys ${tx(row)} returning *`;
  return { key: fromRow(rows[0]!), value };
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

/** Keys that are not revoked, oldest first. */
export async function listPersonalApiKeys(tx: Tx): Promise<PersonalApiKey[]> {
  const rows: KeyRow[] =
    await tx`select * from personal_api_keys where revoked_at_ms is null order by created_at_ms, id`;
  return rows.map(fromRow);
}

/** Whether there was such a key to revoke. */
export async function revokePersonalApiKey(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const result =
    await tx`update personal_api_keys set revoked_at_ms = ${nowMs} where id = ${id} and revoked_at_ms is null`;
  return changed(result) === 1;
}
