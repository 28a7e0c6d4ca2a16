import { invalidate, prefetch, remember, useData } from "../api/cache.ts";
import { type Answer, call, type Options } from "../api/client.ts";
import { isEditor, may, type Noun } from "./rights.ts";
import { user } from "./session.ts";

/** What is set for a project. */
export type Environment = Answer<"GET /api/environments/{project_id}/">;

const keyOf = (projectId: number): string => `environment/${projectId}`;
const paramsOf = (projectId: number) => ({ project_id: String(projectId) });
const load = (projectId: number) => call("GET /api/environments/{project_id}/", { params: paramsOf(projectId) });

/** Begins to load the settings of a project; undefined where that failed. */
export const prefetchEnvironment = (projectId: number): Promise<Environment | undefined> =>
  prefetch(keyOf(projectId), () => load(projectId));

/** The settings of a project, kept while pages change, with a way to ask anew. Null loads nothing. */
export function useEnvironment(projectId: number | null) {
  const key = projectId === null ? null : keyOf(projectId);
  const { data, error } = useData(key, () => load(projectId ?? 0));
  return { data, error, retry: () => key !== null && invalidate(key) };
}

/** The time zone of a project, as the list of the user's projects has it. Of one that is not in the list nothing is shown. */
export const useZone = (projectId: number): string =>
  user.value?.organization?.teams.find(({ id }) => id === projectId)?.timezone ?? "UTC";

/** Says of each kind whether the user may make one in a project. Where its levels cannot be read the server decides. */
export function useMayMake(projectId: number): (noun: Noun) => boolean {
  const { data, error } = useEnvironment(projectId);
  return (noun) =>
    may(`${noun}:write`) && (data === undefined ? error !== undefined : isEditor(data.resource_access_levels[noun]));
}

/** Gives a project a new key; the one before ends. Throws ApiError. */
export async function resetKey(projectId: number): Promise<void> {
  const route = "PATCH /api/environments/{project_id}/reset_token/";
  remember(keyOf(projectId), await call(route, { params: paramsOf(projectId) }));
}

/** Changes settings of a project. Throws ApiError. */
export async function changeEnvironment(
  projectId: number,
  body: Options<"PATCH /api/environments/{project_id}/">["body"],
): Promise<void> {
  const params = paramsOf(projectId);
  remember(keyOf(projectId), await call("PATCH /api/environments/{project_id}/", { params, body }));
}
