import { arrange, type Box, readPlace } from "./layout.ts";
import { type Dashboard, sizeOf } from "./types.ts";

/** Where the tiles of a board stand. */
export const boxesOf = ({ tiles }: Pick<Dashboard, "tiles">) =>
  arrange(tiles.map((tile) => ({ id: tile.id, layouts: tile.layouts, size: sizeOf(tile) })));

/** As they are saved. */
export const storedBoxes = ({ tiles }: Dashboard): Box[] =>
  tiles.flatMap(({ id, layouts }) => {
    const place = readPlace(layouts);
    return place === null ? [] : [{ id, ...place }];
  });

/** The board with its tiles in other places. */
export function withPlaces(board: Dashboard, boxes: readonly Box[]): Dashboard {
  const places = new Map(boxes.map(({ id, x, y, w, h }) => [id, { sm: { x, y, w, h } }]));
  return { ...board, tiles: board.tiles.map((tile) => ({ ...tile, layouts: places.get(tile.id) ?? tile.layouts })) };
}
