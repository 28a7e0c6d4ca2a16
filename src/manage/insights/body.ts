import type { Insight } from "../../metadata/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { isoTime } from "../http/reply.ts";
import { userBody } from "../http/userBody.ts";
import { type Answer, cacheFields } from "../query/answer.ts";
import { accessFields, type Viewer } from "../serve/access.ts";
import type { Related } from "./related.ts";

/** An insight as it is shown: with the query as it was asked, and what was answered. */
export interface Shown {
  insight: Insight;
  /** Changed by what a dashboard or the request puts over it; null without one. */
  query: JsonObject | null;
  /** Null for an insight without a query. */
  answer: Answer | null;
}

/** The short form, for lists. */
export function basicInsightBody({ insight, query, answer }: Shown, related: Related) {
  const tiles = related.tiles.get(insight.id) ?? [];
  return {
    id: insight.id,
    short_id: insight.shortId,
    name: insight.name,
    derived_name: insight.derivedName,
    // A query replaces the legacy form.
    filters: query === null ? insight.filters : {},
    query,
    dashboards: tiles.map((tile) => tile.dashboardId),
    dashboard_tiles: tiles.map(({ id, dashboardId, deleted }) => ({ id, dashboard_id: dashboardId, deleted })),
    description: insight.description,
    last_refresh: isoTime(answer?.computedAtMs ?? null),
    refreshing: false,
    saved: insight.saved,
    tags: insight.tags,
    updated_at: isoTime(insight.updatedAtMs),
    created_by: userBody(related.users, insight.createdBy),
    created_at: isoTime(insight.createdAtMs),
    last_modified_at: isoTime(insight.lastModifiedAtMs),
    favorited: insight.favorited,
  };
}

const NO_ANSWER = {
  is_cached: false,
  last_refresh: null,
  cache_target_age: null,
  next_allowed_client_refresh: null,
  query_status: null,
};

/** The whole object. */
export function insightBody(shown: Shown, related: Related, viewer: Viewer, timezone: string | null) {
  const { insight, answer } = shown;
  const field = (name: string): Json => answer?.response?.[name] ?? null;
  const { refreshing: _, ...basic } = basicInsightBody(shown, related);
  return {
    ...basic,
    order: insight.order,
    deleted: insight.deleted,
    ...(answer === null ? NO_ANSWER : cacheFields(answer)),
    result: field("results"),
    hasMore: field("hasMore"),
    columns: field("columns"),
    types: field("types"),
    hogql: field("hogql"),
    last_modified_by: userBody(related.users, insight.lastModifiedBy),
    is_sample: insight.isSample,
    alerts: [],
    ...accessFields(viewer, insight),
    timezone,
    filters_hash: answer?.question.cacheKey ?? null,
  };
}
