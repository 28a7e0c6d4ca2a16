import type { QueryAnswer } from "../../../api/node.ts";
import type { Insight } from "../../../api/schema.ts";
import { INSIGHT_SIZE, TEXT_SIZE } from "./layout.ts";

export type { Dashboard, Tile, TileText } from "../../../api/schema.ts";

/** The size of a tile that nobody gave one. */
export const sizeOf = (tile: { text: unknown }) => (tile.text === null ? INSIGHT_SIZE : TEXT_SIZE);

/** What an insight's body has of an answer; undefined where it has none. */
export function answerIn(insight: Insight): QueryAnswer | undefined {
  const { result, is_cached, last_refresh, cache_target_age, timezone } = insight;
  if (result === null || result === undefined || timezone === null) return undefined;
  const { hogql, hasMore, columns, types, resolved_date_range } = insight;
  return {
    results: result,
    is_cached,
    last_refresh,
    cache_target_age,
    timezone,
    ...(hogql !== null && { hogql }),
    ...(hasMore !== null && { hasMore }),
    ...(columns !== null && { columns }),
    ...(types !== null && { types }),
    ...(resolved_date_range !== null && { resolved_date_range }),
  };
}

/** Whether an answer is too old to be left as it is. */
export function isStale(answer: QueryAnswer, nowMs: number): boolean {
  const { cache_target_age: until } = answer;
  return until !== null && Date.parse(until) < nowMs;
}
