import {
  type Fragment,
  type Listed,
  type ListPage,
  numberOrNull,
  orderOf,
  type Stored,
  searchCondition,
  searchTextOf,
  selectPage,
  Table,
  type Tx,
} from "../store/mod.ts";
import { isVisible, type Visible } from "./access.ts";

/** On which charts an annotation stands: of one insight (`dashboard_item`), of a dashboard, of a project, of all projects. */
export const ANNOTATION_SCOPES = ["dashboard_item", "dashboard", "project", "organization"] as const;
export type AnnotationScope = (typeof ANNOTATION_SCOPES)[number];

/** By whom one was written: a user, or a program that deploys. */
export const CREATION_TYPES = ["USR", "GIT"] as const;

/** What a client may set. */
export interface AnnotationContent {
  content: string | null;
  /** The time it is about; one without any stands on no chart. */
  dateMarkerMs: number | null;
  scope: AnnotationScope;
  creationType: (typeof CREATION_TYPES)[number];
  insightId: number | null;
  dashboardId: number | null;
  /** Left out of charts and lists of the pages; null is no. */
  isHidden: boolean | null;
  deleted: boolean;
}

/** A note about a time. */
export interface Annotation extends AnnotationContent {
  id: number;
  teamId: number;
  createdBy: number | null;
  createdAtMs: number;
  updatedAtMs: number;
}

interface Row {
  id: Stored;
  team_id: Stored;
  content: string | null;
  date_marker_ms: Stored | null;
  scope: AnnotationScope;
  creation_type: Annotation["creationType"];
  insight_id: Stored | null;
  dashboard_id: Stored | null;
  hidden: Stored | null;
  deleted: Stored;
  created_by: Stored | null;
  created_at_ms: Stored;
  updated_at_ms: Stored;
}

const NAME = "annotations";
const TABLE = new Table<Row, Annotation>(NAME, (row) => ({
  id: Number(row.id),
  teamId: Number(row.team_id),
  content: row.content,
  dateMarkerMs: numberOrNull(row.date_marker_ms),
  scope: row.scope,
  creationType: row.creation_type,
  insightId: numberOrNull(row.insight_id),
  dashboardId: numberOrNull(row.dashboard_id),
  isHidden: row.hidden === null ? null : Number(row.hidden) === 1,
  deleted: Number(row.deleted) === 1,
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
  updatedAtMs: Number(row.updated_at_ms),
}));

const columnsOf = (one: Omit<Annotation, "id" | "createdBy" | "createdAtMs">) => ({
  team_id: one.teamId,
  content: one.content,
  date_marker_ms: one.dateMarkerMs,
  scope: one.scope,
  creation_type: one.creationType,
  insight_id: one.insightId,
  dashboard_id: one.dashboardId,
  hidden: one.isHidden === null ? null : Number(one.isHidden),
  deleted: Number(one.deleted),
  search_text: searchTextOf([one.content]),
  updated_at_ms: one.updatedAtMs,
});

export function createAnnotation(tx: Tx, one: Omit<Annotation, "id" | "updatedAtMs">): Promise<Annotation> {
  const row = { ...columnsOf({ ...one, updatedAtMs: one.createdAtMs }), created_by: one.createdBy };
  return TABLE.insert(tx, { ...row, created_at_ms: one.createdAtMs });
}

/** Saves a changed one whole. */
export function updateAnnotation(tx: Tx, one: Annotation): Promise<void> {
  return TABLE.update(tx, one.id, columnsOf(one));
}

/** Whose annotations are meant, and what of them may be seen. */
export interface AnnotationView {
  teamId: number;
  organizationId: string;
  /** Insights and dashboards that the caller may see; null for all. Annotations of others are left out. */
  insights: Visible | null;
  dashboards: Visible | null;
}

/** Those of the environment, and those that its organization has made for all projects. */
function isHere(tx: Tx, { teamId, organizationId }: Pick<AnnotationView, "teamId" | "organizationId">): Fragment {
  const teams = tx`select e.id from environments e join projects p on p.id = e.project_id
    where p.organization_id = ${organizationId} and e.deleted_at_ms is null`;
  return tx`(team_id = ${teamId} or (scope = 'organization' and team_id in (${teams})))`;
}

/** One whose insight or dashboard is deleted is out of sight until that comes back. */
const hasPlace = (tx: Tx): Fragment => tx`
  not exists (select 1 from insights i where i.id = annotations.insight_id and i.deleted = 1)
  and not exists (select 1 from dashboards d where d.id = annotations.dashboard_id and d.deleted = 1)`;

/** The condition that the insight or the dashboard of an annotation may be seen. */
function isOfVisible(tx: Tx, { teamId, insights, dashboards }: Omit<AnnotationView, "organizationId">): Fragment {
  const ofInsight = tx`select id from insights where team_id = ${teamId} and ${isVisible(tx, insights)}`;
  const ofDashboard = tx`select id from dashboards where team_id = ${teamId} and ${isVisible(tx, dashboards)}`;
  return tx`(scope <> 'dashboard_item' or insight_id is null or insight_id in (${ofInsight}))
    and (scope <> 'dashboard' or dashboard_id is null or dashboard_id in (${ofDashboard}))`;
}

/** The ids, as texts, of the annotations of an environment whose insight or dashboard may be seen. */
export function visibleAnnotationIds(tx: Tx, view: Omit<AnnotationView, "organizationId">): Fragment {
  return tx`select cast(id as text) from annotations where team_id = ${view.teamId} and ${isOfVisible(tx, view)}`;
}

/** Also a deleted one; null for one that may not be seen, or that another project keeps to itself. */
export async function findAnnotation(tx: Tx, view: AnnotationView, id: number): Promise<Annotation | null> {
  const rows: Row[] = await tx`select * from annotations
    where id = ${id} and ${isHere(tx, view)} and ${hasPlace(tx)} and ${isOfVisible(tx, view)}`;
  return rows[0] === undefined ? null : TABLE.fromRow(rows[0]);
}

/** Every condition is optional; all given ones must hold. */
export interface AnnotationFilter extends AnnotationView {
  /** Part of the content, in any case. */
  search?: string;
  scope?: AnnotationScope;
  /** Of the time that it is about; both ends are part of it. */
  fromMs?: number;
  toMs?: number;
  isHidden?: boolean;
}

/** Columns that a list can be ordered by. */
export const ANNOTATION_ORDERS = {
  id: "id",
  date_marker: "date_marker_ms",
  created_at: "created_at_ms",
  updated_at: "updated_at_ms",
} as const;

/** One page of those that are not deleted. */
export function listAnnotations(tx: Tx, filter: AnnotationFilter, page: ListPage): Promise<Listed<Annotation>> {
  const where = tx`deleted = 0 and ${isHere(tx, filter)} and ${hasPlace(tx)} and ${isOfVisible(tx, filter)}
    ${filter.search === undefined ? tx`` : tx`and ${searchCondition(tx, filter.search)}`}
    ${filter.scope === undefined ? tx`` : tx`and scope = ${filter.scope}`}
    ${filter.fromMs === undefined ? tx`` : tx`and date_marker_ms >= ${filter.fromMs}`}
    ${filter.toMs === undefined ? tx`` : tx`and date_marker_ms <= ${filter.toMs}`}
    ${filter.isHidden === undefined ? tx`` : tx`and coalesce(hidden, 0) = ${Number(filter.isHidden)}`}`;
  return selectPage(tx, { table: NAME, where, order: orderOf(tx, page), read: TABLE.fromRow }, page);
}

/** What a link shows: some insights, and the dashboard around them. */
interface SharedPlace {
  teamId: number;
  organizationId: string;
  insightIds: readonly number[];
  /** Null where an insight is shared alone. */
  dashboardId: number | null;
}

/** The annotations of what a link shows, newest first: those of its insights, of its dashboard, of its project and of all projects. */
export async function sharedAnnotations(tx: Tx, place: SharedPlace, limit: number): Promise<Annotation[]> {
  const { insightIds, dashboardId } = place;
  const ofInsight = insightIds.length === 0 ? tx`false` : tx`insight_id in ${tx([...insightIds])}`;
  const rows: Row[] = await tx`select * from annotations
    where deleted = 0 and coalesce(hidden, 0) = 0 and date_marker_ms is not null and ${isHere(tx, place)} and ${hasPlace(tx)}
    and (scope in ('project', 'organization') or (scope = 'dashboard_item' and ${ofInsight})
      or (scope = 'dashboard' and dashboard_id = ${dashboardId ?? 0}))
    order by date_marker_ms desc, id desc limit ${limit}`;
  return rows.map(TABLE.fromRow);
}
