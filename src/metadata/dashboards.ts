import type { JsonObject } from "../types/mod.ts";
import type { Stored, Tx } from "./db.ts";
import { type ListPage, numberOrNull, searchCondition, searchTextOf, selectPage } from "./listing.ts";

/** What a client may set. */
export interface DashboardContent {
  name: string | null;
  description: string;
  pinned: boolean;
  deleted: boolean;
  /** `date_from`, `date_to`, `properties`, `breakdown_filter` for every insight shown in it. */
  filters: JsonObject;
  /** Values of HogQL variables, by variable id. */
  variables: JsonObject;
  /** Lower-case, sorted, each once. */
  tags: string[];
}

/** Insights shown together. */
export interface Dashboard extends DashboardContent {
  id: number;
  teamId: number;
  createdBy: number | null;
  lastModifiedBy: number | null;
  createdAtMs: number;
  updatedAtMs: number;
  lastModifiedAtMs: number;
}

interface DashboardRow {
  id: Stored;
  team_id: Stored;
  name: string | null;
  description: string;
  pinned: Stored;
  deleted: Stored;
  filters: string;
  variables: string;
  tags: string;
  created_by: Stored | null;
  last_modified_by: Stored | null;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  last_modified_at_ms: Stored;
}

function fromRow(row: DashboardRow): Dashboard {
  return {
    id: Number(row.id),
    teamId: Number(row.team_id),
    name: row.name,
    description: row.description,
    pinned: Number(row.pinned) === 1,
    deleted: Number(row.deleted) === 1,
    filters: JSON.parse(row.filters),
    variables: JSON.parse(row.variables),
    tags: JSON.parse(row.tags),
    createdBy: numberOrNull(row.created_by),
    lastModifiedBy: numberOrNull(row.last_modified_by),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    lastModifiedAtMs: Number(row.last_modified_at_ms),
  };
}

function contentColumns(content: DashboardContent) {
  return {
    name: content.name,
    description: content.description,
    pinned: Number(content.pinned),
    deleted: Number(content.deleted),
    filters: JSON.stringify(content.filters),
    variables: JSON.stringify(content.variables),
    tags: JSON.stringify(content.tags),
    search_text: searchTextOf([content.name, content.description, ...content.tags]),
  };
}

export async function createDashboard(
  tx: Tx,
  o: { teamId: number; userId: number; content: DashboardContent; nowMs: number },
): Promise<Dashboard> {
  const row = {
    team_id: o.teamId,
    ...contentColumns(o.content),
    created_by: o.userId,
    last_modified_by: o.userId,
    created_at_ms: o.nowMs,
    updated_at_ms: o.nowMs,
    last_modified_at_ms: o.nowMs,
  };
  const rows: DashboardRow[] = await tx`insert into dashboards ${tx(row)} returning *`;
  return fromRow(rows[0]!);
}

/** Saves a changed dashboard whole. */
export async function updateDashboard(tx: Tx, dashboard: Dashboard): Promise<void> {
  const row = {
    ...contentColumns(dashboard),
    last_modified_by: dashboard.lastModifiedBy,
    updated_at_ms: dashboard.updatedAtMs,
    last_modified_at_ms: dashboard.lastModifiedAtMs,
  };
  await tx`update dashboards set ${tx(row)} where id = ${dashboard.id}`;
}

/** With the deleted ones; null for one of another environment. */
export async function findDashboard(tx: Tx, teamId: number, id: number): Promise<Dashboard | null> {
  const rows: DashboardRow[] = await tx`select * from dashboards where id = ${id} and team_id = ${teamId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** Names of those that are not deleted, by id. */
export async function dashboardNames(
  tx: Tx,
  teamId: number,
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  if (ids.length === 0) return new Map();
  const rows: { id: Stored; name: string | null }[] = await tx`
    select id, name from dashboards where team_id = ${teamId} and deleted = 0 and id in ${tx([...new Set(ids)])}`;
  return new Map(rows.map((row) => [Number(row.id), row.name]));
}

/** Every condition is optional; all given ones must hold. */
export interface DashboardFilter {
  teamId: number;
  pinned?: boolean;
  createdBy?: number;
  /** Part of name, description or a tag, in any case. */
  search?: string;
}

/** Columns that a list can be ordered by. */
export const DASHBOARD_ORDERS = {
  id: "id",
  name: "name",
  created_at: "created_at_ms",
  last_modified_at: "last_modified_at_ms",
} as const;

/** One page of the dashboards that are not deleted, and how many there are. */
export async function listDashboards(
  tx: Tx,
  filter: DashboardFilter,
  page: ListPage,
): Promise<{ count: number; dashboards: Dashboard[] }> {
  const where = tx`team_id = ${filter.teamId} and deleted = 0
    ${filter.pinned === undefined ? tx`` : tx`and pinned = ${Number(filter.pinned)}`}
    ${filter.createdBy === undefined ? tx`` : tx`and created_by = ${filter.createdBy}`}
    ${filter.search === undefined ? tx`` : tx`and ${searchCondition(tx, filter.search)}`}`;
  const { count, rows } = await selectPage<DashboardRow>(tx, "dashboards", where, page);
  return { count, dashboards: rows.map(fromRow) };
}
