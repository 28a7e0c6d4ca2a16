import {
  type Dashboard,
  findInsights,
  holdRows,
  type Insight,
  type Tile,
  tilesOfDashboard,
} from "../../metadata/mod.ts";
import type { Overrides } from "../../query/mod.ts";
import type { Tx } from "../../store/mod.ts";
import { isJsonObject } from "../../types/mod.ts";

/** What stands on a dashboard: its tiles from top to bottom, and the insights of those that are there still. */
export interface Content {
  tiles: Tile[];
  insights: Insight[];
}

export async function contentOf(tx: Tx, { id, teamId }: Dashboard): Promise<Content> {
  const tiles = fromTop(await tilesOfDashboard(tx, id));
  const ids = tiles.flatMap(({ insightId }) => insightId ?? []);
  return { tiles, insights: (await findInsights(tx, teamId, ids)).filter((insight) => !insight.deleted) };
}

/** Makes other writers of the insights of a dashboard wait until the transaction ends; gives the ids. */
export async function holdInsights(tx: Tx, { id, teamId }: Dashboard): Promise<number[]> {
  const ids = (await tilesOfDashboard(tx, id)).flatMap(({ insightId }) => insightId ?? []);
  await holdRows(tx, "insights", teamId, ids);
  return ids;
}

/** What a dashboard puts over the queries of its insights. */
export const overridesOf = ({ filters, variables }: Dashboard): Overrides => ({ filters, variables });

/** A tile with the body of its insight (null for a text) and its place among the others. */
export type Placed<B> = Tile & { order: number; insight: B | null };

/** Tiles with the bodies of their insights, without those whose insight has none. `order` counts all tiles. */
export function placed<B>(tiles: readonly Tile[], bodies: ReadonlyMap<unknown, B>): Placed<B>[] {
  return tiles.flatMap((tile, order) => {
    const insight = tile.insightId === null ? null : bodies.get(tile.insightId);
    return insight === undefined ? [] : [{ ...tile, order, insight }];
  });
}

/** Row by row of the layout for wide screens (`sm`); those without a place there follow in the order they were made. */
function fromTop(tiles: readonly Tile[]): Tile[] {
  const places = new Map(tiles.map((tile) => [tile, placeOf(tile)]));
  return [...tiles].sort((a, b) => {
    const [one, other] = [places.get(a)!, places.get(b)!];
    return compare(one.y, other.y) || compare(one.x, other.x) || a.id - b.id;
  });
}

const NOWHERE = { x: Number.POSITIVE_INFINITY, y: Number.POSITIVE_INFINITY };

function placeOf({ layouts }: Tile): { x: number; y: number } {
  const wide = isJsonObject(layouts) ? layouts.sm : null;
  if (!isJsonObject(wide) || typeof wide.x !== "number" || typeof wide.y !== "number") return NOWHERE;
  return { x: wide.x, y: wide.y };
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
