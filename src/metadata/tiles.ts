import type { Stored, Tx } from "../store/mod.ts";
import { type Json, only } from "../types/mod.ts";

/** The place of an insight on a dashboard. */
export interface Tile {
  id: number;
  dashboardId: number;
  insightId: number;
  /** Null for one that was never deleted, false for one that came back. */
  deleted: boolean | null;
  layouts: Json;
  color: string | null;
}

interface TileRow {
  id: Stored;
  dashboard_id: Stored;
  insight_id: Stored;
  deleted: Stored | null;
  layouts: string;
  color: string | null;
}

const fromRow = (row: TileRow): Tile => ({
  id: Number(row.id),
  dashboardId: Number(row.dashboard_id),
  insightId: Number(row.insight_id),
  deleted: row.deleted === null ? null : Number(row.deleted) === 1,
  layouts: JSON.parse(row.layouts),
  color: row.color,
});

/** Live tiles of insights, in the order they were made. */
export async function tilesOfInsights(tx: Tx, insightIds: readonly number[]): Promise<Tile[]> {
  if (insightIds.length === 0) return [];
  const rows: TileRow[] = await tx`
    select * from dashboard_tiles where insight_id in ${tx([...insightIds])} and coalesce(deleted, 0) = 0 order by id`;
  return rows.map(fromRow);
}

/** Tiles of a dashboard in the order they were made; the deleted ones only where asked for. */
export async function tilesOfDashboard(tx: Tx, dashboardId: number, o = { withDeleted: false }): Promise<Tile[]> {
  const rows: TileRow[] = await tx`
    select * from dashboard_tiles where dashboard_id = ${dashboardId}
    ${o.withDeleted ? tx`` : tx`and coalesce(deleted, 0) = 0`} order by id`;
  return rows.map(fromRow);
}

/** Puts an insight on a dashboard, again where it was before. */
export async function addTile(tx: Tx, o: { dashboardId: number; insightId: number }): Promise<Tile> {
  const row = { dashboard_id: o.dashboardId, insight_id: o.insightId, deleted: null, layouts: "{}", color: null };
  const rows: TileRow[] = await tx`
    insert into dashboard_tiles ${tx(row)} on conflict (dashboard_id, insight_id)
    do update set deleted = case when dashboard_tiles.deleted = 1 then 0 else dashboard_tiles.deleted end returning *`;
  return fromRow(only(rows));
}

export async function updateTile(tx: Tx, tile: Pick<Tile, "id" | "deleted" | "layouts" | "color">): Promise<void> {
  const row = {
    deleted: tile.deleted === null ? null : Number(tile.deleted),
    layouts: JSON.stringify(tile.layouts),
    color: tile.color,
  };
  await tx`update dashboard_tiles set ${tx(row)} where id = ${tile.id}`;
}

/** Takes every tile of a dashboard away, or brings those back whose insight is still there. */
export async function setTilesOfDashboard(tx: Tx, dashboardId: number, o: { deleted: boolean }): Promise<void> {
  await tx`update dashboard_tiles set deleted = ${Number(o.deleted)} where dashboard_id = ${dashboardId}
    and insight_id in (select id from insights where deleted = 0)`;
}
