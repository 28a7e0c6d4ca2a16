import { type Answer, call } from "../../../api/client.ts";
import type { QueryNode } from "../../../api/node.ts";
import { may } from "../../../session/rights.ts";

/** An insight, as lists and its own page have it. */
export type Insight = Answer<"POST /api/environments/{project_id}/insights/">;

/** What of an insight can be changed. */
export interface InsightChange {
  name?: string;
  derived_name?: string;
  description?: string;
  query?: QueryNode;
  tags?: string[];
  favorited?: boolean;
  deleted?: boolean;
  dashboards?: number[];
}

const paramsOf = (projectId: number) => ({ project_id: String(projectId) });
/** Nothing is calculated for the answer: the page asks its question itself. */
const QUIET = { refresh: "force_cache" };

/** The insight of an address; null where there is none. */
export async function loadInsight(projectId: number, shortId: string): Promise<Insight | null> {
  const { results } = await call("GET /api/environments/{project_id}/insights/", {
    params: paramsOf(projectId),
    query: { short_id: shortId, basic: true, user_access_level: true },
  });
  return (results[0] as Insight | undefined) ?? null;
}

/** Saves a new insight. Throws ApiError. */
export function createInsight(projectId: number, change: InsightChange): Promise<Insight> {
  return call("POST /api/environments/{project_id}/insights/", {
    params: paramsOf(projectId),
    query: QUIET,
    body: { ...change, saved: true } as never,
  });
}

/** Changes members of an insight. Throws ApiError. */
export function changeInsight(projectId: number, id: number, change: InsightChange): Promise<Insight> {
  return call("PATCH /api/environments/{project_id}/insights/{id}/", {
    params: { ...paramsOf(projectId), id },
    query: QUIET,
    body: change as never,
  });
}

/** Tells the project who looked at it; a failure changes nothing. */
export function tellViewed(projectId: number, id: number): void {
  if (!may("insight:write")) return;
  const params = { ...paramsOf(projectId), id };
  void call("POST /api/environments/{project_id}/insights/{id}/viewed/", { params }).catch(() => {});
}

/** What SDKs send by themselves and few ask for. */
const ASIDE: ReadonlySet<string> = new Set([
  "$identify",
  "$groupidentify",
  "$set",
  "$pageleave",
  "$feature_flag_called",
  "$create_alias",
  "$web_vitals",
]);

/** What a new question begins with: the most frequent event that says something; null: there are no events. */
export async function frequentEvent(projectId: number): Promise<string | null> {
  const { results } = await call("GET /api/environments/{project_id}/event_definitions/", {
    params: paramsOf(projectId),
    query: { ordering: "-volume_30_day", limit: 50 } as never,
  });
  const names = results.map(({ name }) => name);
  return (
    names.find((name) => name === "$pageview" || name === "$screen") ?? names.find((name) => !ASIDE.has(name)) ?? null
  );
}
