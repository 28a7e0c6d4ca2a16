import { Type } from "@sinclair/typebox";
import { object } from "../../openapi/mod.ts";
import { PAGE_QUERY, pageBody, readPage } from "../http/page.ts";
import { json } from "../http/reply.ts";
import { EMPTY_PAGE } from "../http/shapes.ts";
import { type EnvironmentCall, environmentRoutes, type Route, type Scope } from "../serve/route.ts";

/** What PostHog has and Weir does not; clients walk through these lists when they start. */
const LISTS: { path: string; what: string; scope: Scope }[] = [
  { path: "feature_flags/", what: "feature flags", scope: "feature_flag:read" },
  { path: "annotations/", what: "annotations", scope: "annotation:read" },
  { path: "surveys/", what: "surveys", scope: "survey:read" },
  { path: "experiments/", what: "experiments", scope: "experiment:read" },
  { path: "error_tracking/issues/", what: "issues of error tracking", scope: "error_tracking:read" },
  { path: "early_access_features/", what: "early access features", scope: "early_access_feature:read" },
];

const NOTHING = Type.Array(Type.Never(), { maxItems: 0 });

/** The version of the form of this list. */
const RECORDINGS_VERSION = 4;

const NO_RECORDINGS = object("NoRecordings", {
  results: NOTHING,
  has_next: Type.Literal(false),
  version: Type.Literal(RECORDINGS_VERSION),
});

/** Lists in which nothing is ever, in their own forms. */
export const emptyListRoutes: Route[] = environmentRoutes([
  ...LISTS.map(({ path, what, scope }) => ({
    method: "GET" as const,
    path,
    summary: `List the ${what}: there are none`,
    scope,
    query: PAGE_QUERY,
    responses: { 200: EMPTY_PAGE },
    handle: async ({ url, query }: EnvironmentCall) => json(pageBody(url, readPage(query), 0, [])),
  })),
  {
    method: "GET",
    path: "session_recordings/",
    summary: "List the recordings of sessions: there are none",
    scope: "session_recording:read",
    responses: { 200: NO_RECORDINGS },
    handle: async () => json({ results: [], has_next: false, version: RECORDINGS_VERSION }),
  },
]);
