import { useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import type { PathsFilter } from "./node.ts";

/** Steps that paths may begin or end with: the addresses, screens or events that there are most of. */
export function usePoints(projectId: number, { includeEventTypes: types = [] }: PathsFilter): readonly string[] {
  const params = { project_id: String(projectId) };
  const isAll = types.length === 0;
  const key = isAll || types.includes("$pageview") ? "$current_url" : types.includes("$screen") ? "$screen_name" : null;
  const values = useData(key === null ? null : `projects/${projectId}/path-points/${key}`, async () => {
    const found = await call("GET /api/environments/{project_id}/events/values/", { params, query: { key: key! } });
    return found.map(({ name }) => String(name).replace(/(.)\/$/, "$1"));
  });
  const hasEvents = isAll || types.includes("custom_event");
  const events = useData(hasEvents ? `projects/${projectId}/path-points/events` : null, async () => {
    const { results } = await call("GET /api/environments/{project_id}/event_definitions/", {
      params,
      query: { limit: 200 },
    });
    return results.map(({ name }) => name);
  });
  const isOwn = (name: string) => (isAll ? name !== "$pageview" && name !== "$screen" : !name.startsWith("$"));
  return [...new Set([...(values.data ?? []), ...(events.data ?? []).filter(isOwn)])];
}
