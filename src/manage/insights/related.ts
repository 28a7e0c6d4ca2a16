import { findUsers, type Insight, type Tile, tilesOfInsights, type User } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";

/** Records that an insight is shown with. */
export interface Related {
  users: ReadonlyMap<number, User>;
  /** Live tiles, by insight. */
  tiles: ReadonlyMap<number, Tile[]>;
}

/** Those of several insights at once. */
export async function relatedOf(tx: Tx, insights: readonly Insight[]): Promise<Related> {
  const userIds = insights.flatMap((insight) => [insight.createdBy, insight.lastModifiedBy]);
  const users = await findUsers(tx, userIds);
  const tiles = await tilesOfInsights(
    tx,
    insights.map(({ id }) => id),
  );
  return { users, tiles: Map.groupBy(tiles, (tile) => tile.insightId) };
}
