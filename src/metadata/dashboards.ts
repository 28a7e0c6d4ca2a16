import {
  type Listed,
  type ListPage,
  type Stored,
  searchCondition,
  searchTextOf,
  Table,
  type Tx,
} from "../store/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { isVisible, type Visible } from "./access.ts";
import {
  type Authorship,
  type AuthorshipRow,
  authorship,
  changedAuthorshipColumns,
  newAuthorshipColumns,
} from "./authorship.ts";

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
export interface Dashboard extends DashboardContent, Authorship {
  id: number;
  teamId: number;
}

interface DashboardRow extends AuthorshipRow {
  id: Stored;
  team_id: Stored;
  name: string | null;
  description: string;
  pinned: Stored;
  deleted: Stored;
  filters: string;
  variables: string;
  tags: string;
}

const TABLE = new Table<DashboardRow, Dashboard>("dashboards", (row) => ({
  id: Number(row.id),
  teamId: Number(row.team_id),
  name: row.name,
  description: row.description,
  pinned: Number(row.pinned) === 1,
  deleted: Number(row.deleted) === 1,
  filters: JSON.parse(row.filters),
  variables: JSON.parse(row.variables),
  tags: JSON.parse(row.tags),
  ...authorship(row),
}));

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

export function createDashboard(
  tx: Tx,
  o: { teamId: number; userId: number; content: DashboardContent; nowMs: number },
): Promise<Dashboard> {
  const row = { team_id: o.teamId, ...contentColumns(o.content), ...newAuthorshipColumns(o.userId, o.nowMs) };
  return TABLE.insert(tx, row);
}

/** Saves a changed dashboard whole. */
export function updateDashboard(tx: Tx, dashboard: Dashboard): Promise<void> {
  return TABLE.update(tx, dashboard.id, { ...contentColumns(dashboard), ...changedAuthorshipColumns(dashboard) });
}

/** With the deleted ones; null for one of another environment. */
export function findDashboard(tx: Tx, teamId: number, id: number): Promise<Dashboard | null> {
  return TABLE.find(tx, teamId, tx`id = ${id}`);
}

/** By id, in no order; also the deleted ones. */
export async function findDashboards(tx: Tx, teamId: number, ids: readonly number[]): Promise<Dashboard[]> {
  return ids.length === 0 ? [] : TABLE.select(tx, teamId, tx`id in ${tx([...ids])}`);
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
interface DashboardFilter {
  teamId: number;
  /** What the caller may see; null for all. */
  visible: Visible | null;
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

/** One page of the dashboards that are not deleted. */
export function listDashboards(tx: Tx, filter: DashboardFilter, page: ListPage): Promise<Listed<Dashboard>> {
  const where = tx`deleted = 0
    and ${isVisible(tx, filter.visible)}
    ${filter.pinned === undefined ? tx`` : tx`and pinned = ${Number(filter.pinned)}`}
    ${filter.createdBy === undefined ? tx`` : tx`and created_by = ${filter.createdBy}`}
    ${filter.search === undefined ? tx`` : tx`and ${searchCondition(tx, filter.search)}`}`;
  return TABLE.page(tx, filter.teamId, where, page);
}
