import { type Answer, call } from "../../api/client.ts";
import { recordsChanged } from "../parts/records/removeRecord.ts";
import { type Click, clicksOf } from "./clicks.ts";
import { AUTOCAPTURE, type Step } from "./steps.ts";

export type Action = Answer<"GET /api/environments/{project_id}/actions/{id}/">;
export type Preview = Answer<"POST /api/environments/{project_id}/actions/preview/">;

const paramsOf = (projectId: number) => ({ project_id: String(projectId) });
const CLICKS_READ = 500;
const CLICKS_SINCE = "-7d";

/** Under what an action is kept. */
export const actionKey = (projectId: number, id: number): string => `actions/${projectId}/one/${id}`;

/** An action. Throws ApiError. */
export const loadAction = (projectId: number, id: number): Promise<Action> =>
  call("GET /api/environments/{project_id}/actions/{id}/", { params: { ...paramsOf(projectId), id } });

interface Body {
  name: string;
  description: string;
  steps: readonly Step[];
}

/** Makes an action. Throws ApiError. */
export async function createAction(projectId: number, body: Body): Promise<Action> {
  const params = paramsOf(projectId);
  const made = await call("POST /api/environments/{project_id}/actions/", { params, body: body as never });
  recordsChanged(projectId, "action");
  return made;
}

/** Changes members of an action. Throws ApiError. */
export async function changeAction(projectId: number, id: number, body: Partial<Body>): Promise<Action> {
  const params = { ...paramsOf(projectId), id };
  const changed = await call("PATCH /api/environments/{project_id}/actions/{id}/", { params, body: body as never });
  recordsChanged(projectId, "action");
  return changed;
}

/** The events that steps match. Throws ApiError. */
export const loadPreview = (projectId: number, steps: readonly Step[], signal: AbortSignal): Promise<Preview> =>
  call("POST /api/environments/{project_id}/actions/preview/", {
    params: paramsOf(projectId),
    body: { steps: steps as never },
    signal,
  });

/** What was clicked in the last week. Throws ApiError. */
export async function loadClicks(projectId: number): Promise<readonly Click[]> {
  const { results } = await call("GET /api/environments/{project_id}/events/", {
    params: paramsOf(projectId),
    query: { event: AUTOCAPTURE, after: CLICKS_SINCE, limit: CLICKS_READ },
  });
  return clicksOf(results as never);
}
