import { randomUUID } from "node:crypto";
import { type Db, type Fragment, type Listed, numberOrNull, type Page, type Stored, type Tx } from "../store/mod.ts";
import { type JsonObject, only } from "../types/mod.ts";

/** An environment owns events: its id is their `team_id`. */
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
  /** Example events are being made for it until then. */
  demoUntilMs: number;
}

interface EnvironmentRow {
  id: Stored;
  uuid: string;
  project_id: Stored;
  organization_id: string;
  api_token: string;
  name: string;
  timezone: string;
  week_start_day: Stored | null;
  settings: string;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  demo_until_ms: Stored;
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
    weekStartDay: numberOrNull(row.week_start_day),
    settings: JSON.parse(row.settings),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    demoUntilMs: Number(row.demo_until_ms),
  };
}

/** The next id of an environment; holds the sequence's row until the transaction ends. */
export async function nextEnvironmentId(tx: Tx): Promise<number> {
  const rows: { value: Stored }[] =
    await tx`update sequences set value = value + 1 where name = 'environments' returning value`;
  return Number(only(rows).value);
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

/** Those that are not deleted and meet a condition; an order may follow it. */
async function select(tx: Tx, where: Fragment): Promise<Environment[]> {
  const rows: EnvironmentRow[] = await tx`
    select e.*, p.organization_id from environments e join projects p on p.id = e.project_id
    where e.deleted_at_ms is null and ${where}`;
  return rows.map(fromRow);
}

export async function findEnvironment(tx: Tx, id: number): Promise<Environment | null> {
  return (await select(tx, tx`e.id = ${id}`))[0] ?? null;
}

/** Those of the given projects, by id. */
export async function listEnvironments(tx: Tx, projectIds: readonly number[]): Promise<Environment[]> {
  return projectIds.length === 0 ? [] : select(tx, tx`e.project_id in ${tx([...projectIds])} order by e.id`);
}

/** One page of those of all projects, by id; without those that `closedIds` name. */
export async function pageEnvironments(
  tx: Tx,
  page: Page & { closedIds: readonly number[] },
): Promise<Listed<Environment>> {
  const where = notAmong(tx, page.closedIds);
  const total: { n: Stored }[] = await tx`
    select count(*) as n from environments e where e.deleted_at_ms is null and ${where}`;
  const items = await select(tx, tx`${where} order by e.id limit ${page.limit} offset ${page.offset}`);
  return { count: Number(only(total).n), items };
}

/** The condition on `environments e` that it is none of these. */
export const notAmong = (tx: Tx, ids: readonly number[]): Fragment =>
  ids.length === 0 ? tx`true` : tx`e.id not in ${tx([...ids])}`;

/** Which of these ids name an environment. */
export async function existingEnvironmentIds(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows: { id: Stored }[] =
    await tx`select id from environments where id in ${tx([...ids])} and deleted_at_ms is null`;
  return new Set(rows.map((row) => Number(row.id)));
}

/** Saves what a client may change. */
export async function updateEnvironment(tx: Tx, environment: Environment): Promise<void> {
  const row = {
    name: environment.name,
    timezone: environment.timezone,
    week_start_day: environment.weekStartDay,
    settings: JSON.stringify(environment.settings),
    updated_at_ms: environment.updatedAtMs,
  };
  await tx`update environments set ${tx(row)} where id = ${environment.id}`;
}

/** Gives an environment a new token; the old one is unknown from the end of the transaction on. */
export async function setEnvironmentToken(tx: Tx, id: number, o: { token: string; nowMs: number }): Promise<void> {
  await tx`update environments set api_token = ${o.token}, updated_at_ms = ${o.nowMs} where id = ${id}`;
}

export async function setDemoUntil(tx: Tx, id: number, untilMs: number): Promise<void> {
  await tx`update environments set demo_until_ms = ${untilMs} where id = ${id}`;
}

/** Whether some environment is getting example events now. */
export async function isMakingDemo(tx: Tx, nowMs: number): Promise<boolean> {
  const rows: unknown[] = await tx`
    select 1 from environments where demo_until_ms > ${nowMs} and deleted_at_ms is null limit 1`;
  return rows.length > 0;
}

/**
 * Hides environments and all their records at once and for ever: every look-up passes through the environment, its
 * token is unknown, and its id is never given again. Cached results and access levels are removed now, events later. Users that had one as
 * their current environment get another.
 */
export async function hideEnvironments(tx: Tx, ids: readonly number[], nowMs: number): Promise<void> {
  if (ids.length === 0) return;
  await tx`update environments set deleted_at_ms = ${nowMs} where id in ${tx([...ids])} and deleted_at_ms is null`;
  await tx`delete from query_cache where team_id in ${tx([...ids])}`;
  await tx`delete from access_controls where team_id in ${tx([...ids])}`;
  await tx`update users set current_environment_id = (select min(id) from environments where deleted_at_ms is null)
    where current_environment_id in ${tx([...ids])}`;
}

/** Those of the environments that have stored events. Read from what the catalog committed. */
export async function environmentsWithEvents(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows: { team_id: Stored }[] = await tx`
    select distinct team_id from settled_counts where team_id in ${tx([...ids])} and outcome = 'stored' and events > 0`;
  return new Set(rows.map((row) => Number(row.team_id)));
}

/** What the front needs to know of an environment. */
interface TokenOwner {
  teamId: number;
  /** Addresses of clients are not stored. */
  anonymizeIps: boolean;
}

/** The environment that a project token belongs to, or null. The token is public, so it is looked up as it is. */
export async function findProjectByToken(db: Db, token: string): Promise<TokenOwner | null> {
  const rows: { id: Stored; settings: string }[] = await db.read(
    (tx) => tx`select id, settings from environments where api_token = ${token} and deleted_at_ms is null`,
  );
  const row = rows[0];
  if (row === undefined) return null;
  const settings = JSON.parse(row.settings) as JsonObject;
  return { teamId: Number(row.id), anonymizeIps: settings.anonymize_ips === true };
}
