import type { JsonObject } from "../types/mod.ts";
import type { Tx } from "./db.ts";
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
export interface Insight extends InsightContent {
  id: number;
  teamId: number;
  shortId: string;
  createdBy: number | null;
  lastModifiedBy: number | null;
  createdAtMs: number;
  updatedAtMs: number;
  lastModifiedAtMs: number;
}

interface InsightRow {
  id: number | string;
  team_id: number | string;
  short_id: string;
  name: string | null;
  derived_name: string | null;
  description: string | null;
  filters: string;
  query: string | null;
  sort_order: number | string | null;
  deleted: number | string;
  saved: number | string;
  favorited: number | string;
  is_sample: number | string;
  tags: string;
  created_by: number | string | null;
  last_modified_by: number | string | null;
  created_at_ms: number | string;
  updated_at_ms: number | string;
  last_modified_at_ms: number | string;
}

const numberOrNull = (value: number | string | null): number | null => (value === null ? null : Number(value));

function fromRow(row: InsightRow): Insight {
  return {
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
    createdBy: numberOrNull(row.created_by),
    lastModifiedBy: numberOrNull(row.last_modified_by),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    lastModifiedAtMs: Number(row.last_modified_at_ms),
  };
}

function contentColumns(content: InsightContent) {
  const searched = [content.name, content.derivedName, content.description, ...content.tags];
  return {
    name: content.name,
    derived_name: content.derivedName,
    description: content.description,
    filters: JSON.stringify(content.filters),
    query: content.query === null ? null : JSON.stringify(content.query),
    sort_order: content.order,
    deleted: Number(content.deleted),
    saved: Number(content.saved),
    favorited: Number(content.favorited),
    is_sample: Number(content.isSample),
    tags: JSON.stringify(content.tags),
    search_text: searched
      .filter((text) => text !== null)
      .join("\n")
      .toLowerCase(),
  };
}

export async function createInsight(
  tx: Tx,
  o: { teamId: number; userId: number; content: InsightContent; nowMs: number },
): Promise<Insight> {
  const row = {
    team_id: o.teamId,
    short_id: randomId(8),
    ...contentColumns(o.content),
    created_by: o.userId,
    last_modified_by: o.userId,
    created_at_ms: o.nowMs,
    updated_at_ms: o.nowMs,
    last_modified_at_ms: o.nowMs,
  };
  const rows: InsightRow[] = await tx`insert into insights ${tx(row)} returning *`;
  return fromRow(rows[0]!);
}

/** Saves a changed insight whole; the caller decides whether its modification time moves. */
export async function updateInsight(tx: Tx, insight: Insight): Promise<void> {
  const row = {
    ...contentColumns(insight),
    last_modified_by: insight.lastModifiedBy,
    updated_at_ms: insight.updatedAtMs,
    last_modified_at_ms: insight.lastModifiedAtMs,
  };
  await tx`update insights set ${tx(row)} where id = ${insight.id}`;
}

/** With the deleted ones; null for one of another environment. */
export async function findInsight(tx: Tx, teamId: number, id: number): Promise<Insight | null> {
  const rows: InsightRow[] = await tx`select * from insights where id = ${id} and team_id = ${teamId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** Every condition is optional; all given ones must hold. */
export interface InsightFilter {
  teamId: number;
  shortId?: string;
  createdBy?: number;
  saved?: boolean;
  favorited?: boolean;
  /** Part of name, derived name, description or a tag, in any case. */
  search?: string;
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
} as const;
export type InsightOrder = keyof typeof INSIGHT_ORDERS;

function conditions(tx: Tx, filter: InsightFilter) {
  const pattern = `%${(filter.search ?? "").toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return tx`team_id = ${filter.teamId} and deleted = 0
    ${filter.shortId === undefined ? tx`` : tx`and short_id = ${filter.shortId}`}
    ${filter.createdBy === undefined ? tx`` : tx`and created_by = ${filter.createdBy}`}
    ${filter.saved === undefined ? tx`` : tx`and saved = ${Number(filter.saved)}`}
    ${filter.favorited === undefined ? tx`` : tx`and favorited = ${Number(filter.favorited)}`}
    ${filter.search === undefined ? tx`` : tx`and search_text like ${pattern} escape '\\'`}`;
}

/** One page of the insights that are not deleted, and how many there are. */
export async function listInsights(
  tx: Tx,
  filter: InsightFilter,
  page: { limit: number; offset: number; order: InsightOrder; descending: boolean },
): Promise<{ count: number; insights: Insight[] }> {
  const total: { n: number | string }[] = await tx`select count(*) as n from insights where ${conditions(tx, filter)}`;
  const column = tx(INSIGHT_ORDERS[page.order]);
  const direction = page.descending ? tx`desc` : tx`asc`;
  const rows: InsightRow[] = await tx`
    select * from insights where ${conditions(tx, filter)}
    order by (${column} is null), ${column} ${direction}, id ${direction} limit ${page.limit} offset ${page.offset}`;
  return { count: Number(total[0]!.n), insights: rows.map(fromRow) };
}
