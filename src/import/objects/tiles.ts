import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import type { Api } from "../api/mod.ts";
import { fingerprint, tilesOf } from "./members.ts";
import type { Tile } from "./model.ts";

interface Board {
  api: Api;
  /** The number of the dashboard here. */
  dashboard: number;
  /** The number of an insight here; null for one that was left out. */
  insightOf(id: number): number | null;
  /** Whether tiles that are missing are put there: not where a user may have taken them away. */
  mayAdd: boolean;
}

/** Puts tiles on a dashboard that lack there; gives whether tiles of there are missing all the same. */
export async function bringTiles(
  wanted: readonly Tile[],
  { api, dashboard, insightOf, mayAdd }: Board,
): Promise<boolean> {
  const path = `dashboards/${dashboard}/`;
  const tiles = wanted.flatMap((tile) => {
    const insight = tile.insight === null ? null : insightOf(tile.insight);
    return tile.insight !== null && insight === null ? [] : [{ ...tile, insight }];
  });
  const present = await api.object(path);
  const rest = tilesOf(present);
  const missing = tiles.filter((tile) => !takeFrom(rest, tile));
  if (missing.length === 0 || !mayAdd) return missing.length > 0;
  const ids = idsOf(present);
  const changes: JsonObject[] = [];
  for (const { insight, text, layouts, color } of missing) {
    const look = { layouts, ...(color !== null && { color }) };
    if (insight === null) changes.push({ text: { body: text ?? "" }, ...look });
    else {
      const id = ids.get(insight) ?? Number((await api.send("POST", `${path}tiles/`, { insight })).id);
      changes.push({ id, ...look });
    }
  }
  await api.send("PATCH", path, { tiles: changes });
  return false;
}

/** Takes a tile like this one out of a list; false where there is none. A tile without a place yet is none. */
function takeFrom(tiles: Tile[], { insight, text, layouts }: Tile): boolean {
  const isPlaced = Object.keys(layouts).length === 0;
  const like = (tile: Tile) =>
    tile.insight === insight && tile.text === text && (isPlaced || fingerprint(tile.layouts) !== fingerprint({}));
  const index = tiles.findIndex(like);
  if (index >= 0) tiles.splice(index, 1);
  return index >= 0;
}

/** Tiles of a dashboard by the insight that they show. */
function idsOf(dashboard: JsonObject): Map<number, number> {
  const tiles = Array.isArray(dashboard.tiles) ? dashboard.tiles.filter(isJsonObject) : [];
  return new Map(
    tiles.flatMap(({ id, insight, deleted }) =>
      isJsonObject(insight) && deleted !== true ? [[Number(insight.id), Number(id)] as const] : [],
    ),
  );
}
