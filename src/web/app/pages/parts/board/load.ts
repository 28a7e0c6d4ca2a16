import { prefetch } from "../../../api/cache.ts";
import { call } from "../../../api/client.ts";
import { boardKey } from "../../../api/keys.ts";
import type { BoardFilters } from "./filters.ts";

/** How a board under filters of one's own is asked for. What the cache of answers has comes with it; nothing is calculated for it. */
export function boardUnder(projectId: number, id: number, own: BoardFilters) {
  const query = {
    refresh: "force_cache",
    ...(Object.keys(own).length > 0 && { filters_override: JSON.stringify(own) }),
  };
  const params = { project_id: String(projectId), id };
  return {
    key: `${boardKey(projectId, id)}${JSON.stringify(own)}`,
    query,
    load: () => call("GET /api/environments/{project_id}/dashboards/{id}/", { params, query }),
  };
}

/** Begins to load a board that is about to be shown, as it is saved. */
export function prefetchBoard(projectId: number, id: number): void {
  const { key, load } = boardUnder(projectId, id, {});
  void prefetch(key, load);
}
