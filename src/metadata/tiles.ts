import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";
import { type Json, only } from "../types/mod.ts";

/** What stands on a dashboard: an insight, or a text. */
export interface Tile {
  id: number;
  dashboardId: number;
  /** Null for a text. */
  insightId: number | null;
  /** Null for an insight. */
  text: TileText | null;
  /** Null for one that was never deleted, false for one that came back. */
  deleted: boolean | null;
  layouts: Json;
  color: string | null;
}

export type InsightTile = Tile & { insightId: number };

export interface TileText {
  /** Markdown. */
  body: string;
  createdBy: number | null;
  lastModifiedBy: number | null;
  lastModifiedAtMs: number;
}

interface TileRow {
  id: Stored;
  dashboard_id: Stored;
  insight_id: Stored | null;
  deleted: Stored | null;
  layouts: string;
  color: string | null;
  body: string | null;
  created_by: Stored | null;
  last_modified_by: Stored | null;
  last_modified_at_ms: Stored | null;
}

const fromRow = (row: TileRow): Tile => ({
  id: Number(row.id),
  dashboardId: Number(row.dashboard_id),
  insightId: numberOrNull(row.insight_id),
  text: row.body === null ? null : textOf(row, row.body),
  deleted: row.deleted === null ? null : Number(row.deleted) === 1,
  layouts: JSON.parse(row.layouts),
  color: row.color,
});

const textOf = (row: TileRow, body: string): TileText => ({
  body,
  createdBy: numberOrNull(row.created_by),
  lastModifiedBy: numberOrNull(row.last_modified_by),
  lastModifiedAtMs: Number(row.last_modified_at_ms),
});

const textColumns = (text: TileText | null) => ({
  body: text?.body ?? null,
  created_by: text?.createdBy ?? null,
  last_modified_by: text?.lastModifiedBy ?? null,
  last_modified_at_ms: text?.lastModifiedAtMs ?? null,
});

/** Live tiles of insights, in the order they were made. */
export async function tilesOfInsights(tx: Tx, insightIds: readonly number[]): Promise<InsightTile[]> {
  if (insightIds.length === 0) return [];
  const rows: TileRow[] = await tx`
    select * from dashboard_tiles where insight_id in ${tx([...insightIds])} and coalesce(deleted, 0) = 0 order by id`;
  return rows.map((row) => ({ ...fromRow(row), insightId: Number(row.insight_id) }));
}

/** Tiles of a dashboard in the order they were made; the deleted ones only where asked for. */
export async function tilesOfDashboard(tx: Tx, dashboardId: number, o = { withDeleted: false }): Promise<Tile[]> {
  const rows: TileRow[] = await tx`
    select * from dashboard_tiles where dashboard_id = ${dashboardId}
    ${o.withDeleted ? tx`` : tx`and coalesce(deleted, 0) = 0`} order by id`;
  return rows.map(fromRow);
}

/** Puts an insight on a dashboard, again where it was before. */
export async function addTile(
  tx: Tx,
  { dashboardId, insightId, layouts = {} }: { dashboardId: number; insightId: number; layouts?: Json },
): Promise<Tile> {
  const row = {
    dashboard_id: dashboardId,
    insight_id: insightId,
    deleted: null,
    layouts: JSON.stringify(layouts),
    color: null,
  };
  const rows: TileRow[] = await tx`
    insert into dashboard_tiles ${tx(row)} on conflict (dashboard_id, insight_id)
    do update set deleted = case when dashboard_tiles.deleted = 1 then 0 else dashboard_tiles.deleted end returning *`;
  return fromRow(only(rows));
}

/** Puts a text on a dashboard. */
export async function addTextTile(
  tx: Tx,
  { dashboardId, text, layouts, color }: Pick<Tile, "dashboardId" | "layouts" | "color"> & { text: TileText },
): Promise<void> {
  const row = {
    dashboard_id: dashboardId,
    insight_id: null,
    deleted: null,
    layouts: JSON.stringify(layouts),
    color,
    ...textColumns(text),
  };
  await tx`insert into dashboard_tiles ${tx(row)}`;
}

/** Removes tiles for good. */
export async function removeTiles(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx`delete from dashboard_tiles where id in ${tx([...ids])}`;
}

/** Saves a changed tile. */
export async function updateTile(
  tx: Tx,
  tile: Pick<Tile, "id" | "deleted" | "layouts" | "color" | "text">,
): Promise<void> {
  const row = {
    deleted: tile.deleted === null ? null : Number(tile.deleted),
    layouts: JSON.stringify(tile.layouts),
    color: tile.color,
    ...textColumns(tile.text),
  };
  await tx`update dashboard_tiles set ${tx(row)} where id = ${tile.id}`;
}

/** Takes every tile of a dashboard away, or brings those back whose insight is still there, and the texts. */
export async function setTilesOfDashboard(tx: Tx, dashboardId: number, o: { deleted: boolean }): Promise<void> {
  await tx`update dashboard_tiles set deleted = ${Number(o.deleted)} where dashboard_id = ${dashboardId}
    and (insight_id is null or insight_id in (select id from insights where deleted = 0))`;
}
