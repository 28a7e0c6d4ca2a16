import {
  type Fragment,
  type Listed,
  type ListPage,
  numberOrNull,
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
import { randomId } from "./secrets.ts";

/** What a client may set. */
export interface InsightContent {
  name: string | null;
  derivedName: string | null;
  description: string | null;
  /** Legacy form of the query. */
  filters: JsonObject | null;
  /** The query node as sent. */
  query: JsonObject | null;
  order: number | null;
  deleted: boolean;
  saved: boolean;
  favorited: boolean;
  isSample: boolean;
  /** Lower-case, sorted, each once. */
  tags: string[];
}

/** A saved query of an environment. */
export interface Insight extends InsightContent, Authorship {
  id: number;
  teamId: number;
  shortId: string;
}

interface InsightRow extends AuthorshipRow {
  id: Stored;
  team_id: Stored;
  short_id: string;
  name: string | null;
  derived_name: string | null;
  description: string | null;
  filters: string;
  query: string | null;
  sort_order: Stored | null;
  deleted: Stored;
  saved: Stored;
  favorited: Stored;
  is_sample: Stored;
  tags: string;
}

const TABLE = new Table<InsightRow, Insight>("insights", (row) => ({
  id: Number(row.id),
  teamId: Number(row.team_id),
  shortId: row.short_id,
  name: row.name,
  derivedName: row.derived_name,
  description: row.description,
  filters: JSON.parse(row.filters),
  query: row.query === null ? null : JSON.parse(row.query),
  order: numberOrNull(row.sort_order),
  deleted: Number(row.deleted) === 1,
  saved: Number(row.saved) === 1,
  favorited: Number(row.favorited) === 1,
  isSample: Number(row.is_sample) === 1,
  tags: JSON.parse(row.tags),
  ...authorship(row),
}));

/** The kind of the query inside its wrappers (nodes with a kind that ends in "Node"); null without one. */
function sourceKindOf(query: JsonObject | null): string | null {
  let node = query;
  while (String(node?.kind).endsWith("Node") && typeof node?.source === "object" && !Array.isArray(node.source)) {
    node = node.source;
  }
  return typeof node?.kind === "string" ? node.kind : null;
}

function contentColumns(content: InsightContent) {
  return {
    name: content.name,
    derived_name: content.derivedName,
    description: content.description,
    filters: JSON.stringify(content.filters),
    query: content.query === null ? null : JSON.stringify(content.query),
    source_kind: sourceKindOf(content.query),
    sort_order: content.order,
    deleted: Number(content.deleted),
    saved: Number(content.saved),
    favorited: Number(content.favorited),
    is_sample: Number(content.isSample),
    tags: JSON.stringify(content.tags),
    search_text: searchTextOf([content.name, content.derivedName, content.description, ...content.tags]),
  };
}

export function createInsight(
  tx: Tx,
  o: { teamId: number; userId: number; content: InsightContent; nowMs: number },
): Promise<Insight> {
  return TABLE.insert(tx, {
    team_id: o.teamId,
    short_id: randomId(8),
    ...contentColumns(o.content),
    ...newAuthorshipColumns(o.userId, o.nowMs),
  });
}

/** Saves a changed insight whole; the caller decides whether its modification time moves. */
export function updateInsight(tx: Tx, insight: Insight): Promise<void> {
  return TABLE.update(tx, insight.id, { ...contentColumns(insight), ...changedAuthorshipColumns(insight) });
}

/** With the deleted ones; null for one of another environment. */
export function findInsight(tx: Tx, teamId: number, id: number): Promise<Insight | null> {
  return TABLE.find(tx, teamId, tx`id = ${id}`);
}

/** By id, in no order; also the deleted ones. */
export async function findInsights(tx: Tx, teamId: number, ids: readonly number[]): Promise<Insight[]> {
  return ids.length === 0 ? [] : TABLE.select(tx, teamId, tx`id in ${tx([...ids])}`);
}

/** Every condition is optional; all given ones must hold. */
export interface InsightFilter {
  teamId: number;
  /** What the caller may see; null for all. */
  visible: Visible | null;
  shortId?: string;
  /** By one of these users. */
  createdBy?: readonly number[];
  /** With one of these tags, which are lower-case. */
  tags?: readonly string[];
  /** True: also those on a dashboard. */
  saved?: boolean;
  favorited?: boolean;
  /** Part of name, derived name, description or a tag, in any case. */
  search?: string;
  /** On every one of these dashboards. */
  dashboards?: readonly number[];
  /** The query, or the one inside its wrappers, is of one of these kinds. */
  kinds?: readonly string[];
  modifiedAfterMs?: number;
  modifiedBeforeMs?: number;
}

/** Columns that a list can be ordered by. */
export const INSIGHT_ORDERS = {
  order: "sort_order",
  id: "id",
  name: "name",
  created_at: "created_at_ms",
  created_by: "created_by",
  updated_at: "updated_at_ms",
  last_modified_at: "last_modified_at_ms",
  saved: "saved",
  favorited: "favorited",
  last_viewed_at: "last_viewed_at",
} as const;

/** The column holds tags as a JSON list; a quote inside a tag has a backslash. */
function hasTag(tx: Tx, tags: readonly string[]): Fragment {
  const holds = tags.flatMap((tag) => {
    const escaped = JSON.stringify(tag).replace(/[\\%_]/g, "\\$&");
    return [`[${escaped}%`, `%,${escaped}%`].map((pattern) => tx`tags like ${pattern} escape '\\'`);
  });
  return tx`(${holds.reduce((some, one) => tx`${some} or ${one}`)})`;
}

function conditions(tx: Tx, filter: InsightFilter) {
  const isOnOne = tx`exists (select 1 from dashboard_tiles t where t.insight_id = insights.id and coalesce(t.deleted, 0) = 0)`;
  const isOn = (id: number) => tx`and exists (select 1 from dashboard_tiles t
    where t.insight_id = insights.id and t.dashboard_id = ${id} and coalesce(t.deleted, 0) = 0)`;
  const saved = filter.saved ? tx`and (saved = 1 or ${isOnOne})` : tx`and saved = 0`;
  const where = tx`deleted = 0
    and ${isVisible(tx, filter.visible)}
    ${filter.shortId === undefined ? tx`` : tx`and short_id = ${filter.shortId}`}
    ${filter.createdBy === undefined ? tx`` : tx`and created_by in ${tx([...filter.createdBy])}`}
    ${filter.tags === undefined ? tx`` : tx`and ${hasTag(tx, filter.tags)}`}
    ${filter.saved === undefined ? tx`` : saved}
    ${filter.favorited === undefined ? tx`` : tx`and favorited = ${Number(filter.favorited)}`}
    ${filter.kinds === undefined ? tx`` : tx`and source_kind in ${tx([...filter.kinds])}`}
    ${filter.modifiedAfterMs === undefined ? tx`` : tx`and last_modified_at_ms > ${filter.modifiedAfterMs}`}
    ${filter.modifiedBeforeMs === undefined ? tx`` : tx`and last_modified_at_ms < ${filter.modifiedBeforeMs}`}
    ${filter.search === undefined ? tx`` : tx`and ${searchCondition(tx, filter.search)}`}`;
  return (filter.dashboards ?? []).reduce((condition, id) => tx`${condition} ${isOn(id)}`, where);
}

/** One page of the insights that are not deleted. */
export function listInsights(tx: Tx, filter: InsightFilter, page: ListPage): Promise<Listed<Insight>> {
  const lastViewedAt = tx`(select max(viewed_at_ms) from insight_views v where v.insight_id = insights.id)`;
  const by = page.column === INSIGHT_ORDERS.last_viewed_at ? lastViewedAt : undefined;
  return TABLE.page(tx, filter.teamId, conditions(tx, filter), page, { by });
}

/** What is needed to tell whether an insight names something. */
export type QueryOfInsight = Pick<Insight, "id" | "shortId" | "name" | "derivedName" | "createdBy"> & {
  query: JsonObject;
};

/** Insights, not deleted, whose query or legacy form has `part` in its JSON, in any case; those that were changed last first, `max` at most. */
export async function insightsWith(
  tx: Tx,
  teamId: number,
  { part, max }: { part: string; max: number },
): Promise<QueryOfInsight[]> {
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  const rows: (Pick<InsightRow, "id" | "short_id" | "name" | "derived_name"> & {
    asked: string;
    created_by: Stored | null;
  })[] = await tx`
    select id, short_id, name, derived_name, created_by, coalesce(query, filters) as asked from insights
    where team_id = ${teamId} and deleted = 0 and lower(coalesce(query, filters)) like ${pattern} escape '\\'
    order by last_modified_at_ms desc, id desc limit ${max}`;
  return rows.map((row) => ({
    id: Number(row.id),
    shortId: row.short_id,
    name: row.name,
    derivedName: row.derived_name,
    createdBy: numberOrNull(row.created_by),
    query: JSON.parse(row.asked) ?? {},
  }));
}

/** Notes that a user looked at an insight. */
export async function noteInsightView(tx: Tx, o: { insightId: number; userId: number; nowMs: number }): Promise<void> {
  const row = { insight_id: o.insightId, user_id: o.userId, viewed_at_ms: o.nowMs };
  await tx`insert into insight_views ${tx(row)}
    on conflict (insight_id, user_id) do update set viewed_at_ms = excluded.viewed_at_ms`;
}

/** The insights that a user looked at last, newest first, without the deleted ones. */
export async function lastViewedInsights(
  tx: Tx,
  o: { teamId: number; userId: number; limit: number },
): Promise<Insight[]> {
  const rows: InsightRow[] = await tx`
    select i.* from insights i join insight_views v on v.insight_id = i.id
    where i.team_id = ${o.teamId} and i.deleted = 0 and v.user_id = ${o.userId}
    order by v.viewed_at_ms desc, i.id desc limit ${o.limit}`;
  return rows.map(TABLE.fromRow);
}
