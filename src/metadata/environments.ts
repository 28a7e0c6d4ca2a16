import { randomUUID } from "node:crypto";
import type { JsonObject } from "../types/mod.ts";
import type { Db, Tx } from "./db.ts";

/** What owns events: its id is the `team_id` of every event. */
export interface Environment {
  id: number;
  uuid: string;
  projectId: number;
  organizationId: string;
  apiToken: string;
  name: string;
  /** IANA name. */
  timezone: string;
  /** 0 Sunday, 1 Monday; null means the default, Sunday. */
  weekStartDay: number | null;
  /** Writable fields that differ from their default, by API name. */
  settings: JsonObject;
  createdAtMs: number;
  updatedAtMs: number;
}

interface EnvironmentRow {
  id: number | string;
  uuid: string;
  project_id: number | string;
  organization_id: string;
  api_token: string;
  name: string;
  timezone: string;
  week_start_day: number | string | null;
  settings: string;
  created_at_ms: number | string;
  updated_at_ms: number | string;
}

function fromRow(row: EnvironmentRow): Environment {
  return {
    id: Number(row.id),
    uuid: row.uuid,
    projectId: Number(row.project_id),
    organizationId: row.organization_id,
    apiToken: row.api_token,
    name: row.name,
    timezone: row.timezone,
    weekStartDay: row.week_start_day === null ? null : Number(row.week_start_day),
    settings: JSON.parse(row.settings),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  };
}

/** The next id of an environment; holds the sequence's row until the transaction ends. */
export async function nextEnvironmentId(tx: Tx): Promise<number> {
  const rows: { value: number | string }[] =
    await tx`update sequences set value = value + 1 where name = 'environments' returning value`;
  return Number(rows[0]!.value);
}

export async function insertEnvironment(
  tx: Tx,
  o: { id: number; projectId: number; apiToken: string; name: string; nowMs: number },
): Promise<void> {
  const row = {
    id: o.id,
    uuid: randomUUID(),
    project_id: o.projectId,
    api_token: o.apiToken,
    name: o.name,
    timezone: "UTC",
    week_start_day: 0,
    settings: "{}",
    created_at_ms: o.nowMs,
    updated_at_ms: o.nowMs,
  };
  await tx`insert into environments ${tx(row)}`;
}

export async function findEnvironment(tx: Tx, id: number): Promise<Environment | null> {
  const rows: EnvironmentRow[] = await tx`
    select e.*, p.organization_id from environments e join projects p on p.id = e.project_id
    where e.id = ${id} and e.deleted_at_ms is null`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** Those of one project, by id. */
export async function listEnvironments(tx: Tx, projectId: number): Promise<Environment[]> {
  const rows: EnvironmentRow[] = await tx`
    select e.*, p.organization_id from environments e join projects p on p.id = e.project_id
    where e.project_id = ${projectId} and e.deleted_at_ms is null order by e.id`;
  return rows.map(fromRow);
}

/** Which of these ids name an environment. */
export async function existingEnvironmentIds(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows: { id: number | string }[] =
    await tx`select id from environments where id in ${tx([...ids])} and deleted_at_ms is null`;
  return new Set(rows.map((row) => Number(row.id)));
}

export async function updateEnvironment(
  tx: Tx,
  id: number,
  o: { name: string; timezone: string; weekStartDay: number | null; settings: JsonObject; nowMs: number },
): Promise<void> {
  const row = {
    name: o.name,
    timezone: o.timezone,
    week_start_day: o.weekStartDay,
    settings: JSON.stringify(o.settings),
    updated_at_ms: o.nowMs,
  };
  await tx`update environments set ${tx(row)} where id = ${id}`;
}

/** What the front needs to know of an environment. */
export interface TokenOwner {
  teamId: number;
  /** Addresses of clients are not stored. */
  anonymizeIps: boolean;
}

/** The environment that a project token belongs to, or null. The token is public, so it is looked up as it is. */
export async function findProjectByToken(db: Db, token: string): Promise<TokenOwner | null> {
  const rows: { id: number | string; settings: string }[] = await db.read(
    (tx) => tx`select id, settings from environments where api_token = ${token} and deleted_at_ms is null`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  const settings = JSON.parse(row.settings) as JsonObject;
  return { teamId: Number(row.id), anonymizeIps: settings.anonymize_ips === true };
}
