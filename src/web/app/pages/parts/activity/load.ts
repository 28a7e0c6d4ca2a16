import { call } from "../../../api/client.ts";
import type { Page } from "../../../api/page.ts";
import type { Activity } from "../../../api/schema.ts";
import type { Asked } from "./asked.ts";

const PAGE = 50;

/** A page of what was done, the newest first; the first has the number 1. Throws ApiError. */
export async function loadEntries(
  { projectId, ...narrowed }: Asked,
  page: number,
  signal?: AbortSignal,
): Promise<Page<Activity, number> & { count: number }> {
  const query = { ...narrowed, limit: PAGE, page };
  const { results, next, total_count } = await (projectId === null
    ? call("GET /api/organizations/{id}/advanced_activity_logs/", { params: { id: "@current" }, query, signal })
    : call("GET /api/environments/{project_id}/advanced_activity_logs/", {
        params: { project_id: String(projectId) },
        query,
        signal,
      }));
  return { items: results, next: next === null ? null : page + 1, count: total_count };
}
