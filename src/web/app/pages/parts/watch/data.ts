import { invalidate, useData } from "../../../api/cache.ts";
import { type Answer, call } from "../../../api/client.ts";

export type Alert = Answer<"GET /api/environments/{project_id}/alerts/">["results"][number];
export type Subscription = Answer<"GET /api/environments/{project_id}/subscriptions/">["results"][number];

/** What alerts watch, or subscriptions send. */
export interface Subject {
  what: "insight" | "dashboard";
  id: number;
  name: string;
}

/** As many as the API gives at once. */
const LIMIT = 1_000;

const keyOf = (projectId: number) => `watch/${projectId}/`;
export const paramsOf = (projectId: number) => ({ project_id: String(projectId) });

/** The alerts of a project, or of one insight. */
export function useAlerts(projectId: number, insightId?: number) {
  const key = `${keyOf(projectId)}alerts/${insightId ?? ""}`;
  const query = { limit: LIMIT, insight_id: insightId };
  return useData(key, () => call("GET /api/environments/{project_id}/alerts/", { params: paramsOf(projectId), query }));
}

/** The subscriptions of a project, or of an insight or dashboard. */
export function useSubscriptions(projectId: number, subject?: Subject) {
  const key = `${keyOf(projectId)}subscriptions/${subject?.what ?? ""}${subject?.id ?? ""}`;
  const query = { limit: LIMIT, ...(subject !== undefined && { [subject.what]: subject.id }) };
  return useData(key, () =>
    call("GET /api/environments/{project_id}/subscriptions/", { params: paramsOf(projectId), query }),
  );
}

/** After a change of any of them. */
export const reloadWatch = (projectId: number): void => invalidate(keyOf(projectId));
