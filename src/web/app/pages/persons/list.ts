import { type Answer, call } from "../../api/client.ts";
import type { Page } from "../../api/page.ts";
import type { Shown } from "./shown.ts";

export type PersonRow = Answer<"GET /api/environments/{project_id}/persons/">["results"][number];
export type GroupRow = Answer<"GET /api/environments/{project_id}/groups/">["results"][number];

const PAGE = 100;

/** A page of the persons, the newest first. Throws ApiError. */
export async function loadPersons(
  projectId: number,
  { search, filters }: Shown,
  offset: number,
  signal: AbortSignal,
): Promise<Page<PersonRow, number>> {
  const { results, next } = await call("GET /api/environments/{project_id}/persons/", {
    params: { project_id: String(projectId) },
    query: {
      search: search.trim() || undefined,
      properties: filters.length === 0 ? undefined : JSON.stringify(filters),
      limit: PAGE,
      offset,
    },
    signal,
  });
  return { items: results, next: next === null ? null : offset + PAGE };
}

/** A page of the groups of a type, the newest first. Throws ApiError. */
export async function loadGroups(
  projectId: number,
  { index, search }: { index: number; search: string },
  offset: number,
  signal: AbortSignal,
): Promise<Page<GroupRow, number>> {
  const { results, next } = await call("GET /api/environments/{project_id}/groups/", {
    params: { project_id: String(projectId) },
    query: { group_type_index: index as 0, search: search.trim() || undefined, limit: PAGE, offset },
    signal,
  });
  return { items: results, next: next === null ? null : offset + PAGE };
}
