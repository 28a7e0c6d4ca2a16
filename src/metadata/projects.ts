import { type Listed, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import { hideEnvironments, insertEnvironment, listEnvironments, nextEnvironmentId, notAmong } from "./environments.ts";
import { newProjectToken } from "./secrets.ts";

/** A project holds environments; its id is that of its first one. */
export interface Project {
  id: number;
  organizationId: string;
  name: string;
  createdAtMs: number;
}

interface ProjectRow {
  id: Stored;
  organization_id: string;
  name: string;
  created_at_ms: Stored;
}

function fromRow(row: ProjectRow): Project {
  return {
    id: Number(row.id),
    organizationId: row.organization_id,
    name: row.name,
    createdAtMs: Number(row.created_at_ms),
  };
}

/** A project with its first environment; gives the id of both. */
export async function createProject(
  tx: Tx,
  o: { organizationId: string; name: string; apiToken?: string; nowMs: number },
): Promise<number> {
  const id = await nextEnvironmentId(tx);
  const row = { id, organization_id: o.organizationId, name: o.name, created_at_ms: o.nowMs, updated_at_ms: o.nowMs };
  await tx`insert into projects ${tx(row)}`;
  await insertEnvironment(tx, {
    id,
    projectId: id,
    apiToken: o.apiToken ?? newProjectToken(),
    name: o.name,
    nowMs: o.nowMs,
  });
  return id;
}

/** A further environment of a project; gives its id. */
export async function createEnvironment(
  tx: Tx,
  o: { projectId: number; name: string; nowMs: number },
): Promise<number> {
  const id = await nextEnvironmentId(tx);
  await insertEnvironment(tx, { id, apiToken: newProjectToken(), ...o });
  return id;
}

export async function findProject(tx: Tx, id: number): Promise<Project | null> {
  const rows: ProjectRow[] = await tx`select * from projects where id = ${id} and deleted_at_ms is null`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

export async function renameProject(tx: Tx, o: { id: number; name: string; nowMs: number }): Promise<void> {
  await tx`update projects set name = ${o.name}, updated_at_ms = ${o.nowMs} where id = ${o.id}`;
}

/** Hides a project and its environments for ever. */
export async function hideProject(tx: Tx, id: number, nowMs: number): Promise<void> {
  const environments = await listEnvironments(tx, [id]);
  await hideEnvironments(
    tx,
    environments.map((environment) => environment.id),
    nowMs,
  );
  await tx`update projects set deleted_at_ms = ${nowMs} where id = ${id} and deleted_at_ms is null`;
}

/** One page of those that are not deleted, oldest first; without those all of whose environments `closedIds` names. */
export function listProjects(tx: Tx, page: Page & { closedIds?: readonly number[] }): Promise<Listed<Project>> {
  const isAnyOpen = tx`exists (select 1 from environments e
    where e.project_id = projects.id and e.deleted_at_ms is null and ${notAmong(tx, page.closedIds ?? [])})`;
  const where = tx`deleted_at_ms is null ${page.closedIds === undefined ? tx`` : tx`and ${isAnyOpen}`}`;
  return selectPage(tx, { table: "projects", where, order: tx`id`, read: fromRow }, page);
}
