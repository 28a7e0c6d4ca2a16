import { invalidate } from "../../../api/cache.ts";
import { call, callCsv } from "../../../api/client.ts";
import { boardKey } from "../../../api/keys.ts";
import type { Insight } from "../../../api/schema.ts";
import { insightName } from "../../../format/name.ts";
import { download } from "../../../ui/download.ts";
import { told } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";
import { firstFree, INSIGHT_SIZE } from "./layout.ts";
import type { BoardModel } from "./model.ts";
import { type Dashboard, sizeOf, type Tile } from "./types.ts";

const PATCH_BOARD = "PATCH /api/environments/{project_id}/dashboards/{id}/";

/** Takes a tile off its board; what it shows stays. */
export async function removeTile(model: BoardModel, tile: Tile): Promise<void> {
  const isSaved = await model.change(without(tile.id), { tiles: [{ id: tile.id, deleted: true }] });
  if (!isSaved) return;
  const undo = () => patch(model, model.id, [{ id: tile.id, deleted: false }]);
  toast("Removed from the dashboard", { action: { label: "Undo", onSelect: () => void told(undo) } });
}

/** Puts a copy of a tile on the same board. */
export async function duplicateTile(model: BoardModel, tile: Tile): Promise<void> {
  await told(async () => {
    if (tile.text !== null) return addText(model, tile.text.body, sizeIn(model, tile));
    if (tile.insight === null) return;
    const params = { project_id: String(model.projectId) };
    const route = "GET /api/environments/{project_id}/insights/{id}/";
    // As it is saved: what the board shows is under its filters.
    const saved = (await call(route, {
      params: { ...params, id: tile.insight.id },
      query: { basic: true },
    })) as Insight;
    const copy = await call("POST /api/environments/{project_id}/insights/", {
      params,
      body: {
        name: `${insightName(saved)} (copy)`,
        description: saved.description,
        query: saved.query as never,
        tags: saved.tags,
        saved: true,
      },
    });
    await addInsight(model, copy.id, sizeIn(model, tile));
  });
}

/** Puts an insight on a board, in the first free place. */
export async function addInsight(model: BoardModel, insightId: number, size: Size = INSIGHT_SIZE): Promise<void> {
  const { projectId, id } = model;
  const params = { project_id: String(projectId), id };
  const route = "POST /api/environments/{project_id}/dashboards/{id}/tiles/";
  const tile = await call(route, { params, body: { insight: insightId } });
  await patch(model, id, [{ id: tile.id, layouts: { sm: firstFree(model.boxes, size) } }]);
}

/** Puts a text on a board, in the first free place. */
export async function addText(model: BoardModel, body: string, size: Size = sizeOf({ text: { body } })): Promise<void> {
  await patch(model, model.id, [{ text: { body }, layouts: { sm: firstFree(model.boxes, size) } }]);
}

/** Takes a tile from its board to another one. */
export async function moveTile(model: BoardModel, tile: Tile, target: { id: number; name: string }): Promise<void> {
  await told(async () => {
    const added = await putOn(model, tile, target.id);
    if (!(await model.change(without(tile.id), { tiles: [{ id: tile.id, deleted: true }] }))) return;
    const undo = async () => {
      await patch(model, model.id, [{ id: tile.id, deleted: false }]);
      if (added !== null) await patch(model, target.id, [{ id: added, deleted: true }]);
    };
    toast(`Moved to “${target.name}”`, { action: { label: "Undo", onSelect: () => void told(undo) } });
  });
}

/** The id of the new tile; null where it cannot be told. */
async function putOn({ projectId }: BoardModel, { insight, text }: Tile, id: number): Promise<number | null> {
  const params = { project_id: String(projectId), id };
  if (insight !== null) {
    const route = "POST /api/environments/{project_id}/dashboards/{id}/tiles/";
    return (await call(route, { params, body: { insight: insight.id } })).id;
  }
  const body = { tiles: [{ text: { body: text?.body ?? "" } }] };
  const board = await call(PATCH_BOARD, { params, body });
  return board.tiles.reduce<number | null>((last, tile) => Math.max(last ?? 0, tile.id), null);
}

/** Gives an insight another name, wherever it is shown. */
export async function renameInsight(model: BoardModel, { id }: Insight, name: string): Promise<void> {
  const params = { project_id: String(model.projectId), id };
  await call("PATCH /api/environments/{project_id}/insights/{id}/", { params, body: { name } });
  model.reload();
}

/** The numbers of an insight as a file, under the filters of the board. */
export async function downloadCsv(model: BoardModel, insight: Insight): Promise<void> {
  await told(async () => {
    const params = { project_id: String(model.projectId), id: insight.id };
    const query = { format: "csv" as const, refresh: "blocking", filters_override: JSON.stringify(model.filters) };
    download(
      insightName(insight),
      await callCsv("GET /api/environments/{project_id}/insights/{id}/", { params, query }),
    );
  });
}

type Size = { w: number; h: number };

const without = (id: number) => (board: Dashboard) => ({
  ...board,
  tiles: board.tiles.filter((tile) => tile.id !== id),
});

function sizeIn({ boxes }: BoardModel, tile: Tile): Size {
  return boxes.find(({ id }) => id === tile.id) ?? sizeOf(tile);
}

/** Changes tiles of a board and shows it anew. */
async function patch({ projectId, settled }: BoardModel, id: number, tiles: Record<string, unknown>[]): Promise<void> {
  const params = { project_id: String(projectId), id };
  await settled();
  await call(PATCH_BOARD, { params, query: { refresh: "force_cache" }, body: { tiles } });
  invalidate(boardKey(projectId, id));
}
