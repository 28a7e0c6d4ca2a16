import { Type } from "@sinclair/typebox";
import { object } from "../../openapi/mod.ts";
import { json } from "../http/reply.ts";
import { NOTHING, pageRoute } from "../resource/pageRoute.ts";
import { environmentRoutes, type Route, type Scope } from "../serve/route.ts";

/** What PostHog has and Weir does not; clients walk through these lists when they start. */
const LISTS: { path: string; what: string; scope: Scope }[] = [
  { path: "feature_flags/", what: "feature flags", scope: "feature_flag:read" },
  { path: "surveys/", what: "surveys", scope: "survey:read" },
  { path: "experiments/", what: "experiments", scope: "experiment:read" },
  { path: "error_tracking/issues/", what: "issues of error tracking", scope: "error_tracking:read" },
  { path: "early_access_features/", what: "early access features", scope: "early_access_feature:read" },
];

/** The version of the form of this list. */
const RECORDINGS_VERSION = 4;

const NO_RECORDINGS = object("NoRecordings", {
  results: Type.Array(Type.Never(), { maxItems: 0 }),
  has_next: Type.Literal(false),
  version: Type.Literal(RECORDINGS_VERSION),
});

/** Lists in which nothing is ever, in their own forms. */
export const emptyListRoutes: Route[] = environmentRoutes([
  ...LISTS.map(({ what, ...route }) =>
    pageRoute({ ...route, summary: `List the ${what}: there are none`, read: async () => NOTHING }),
  ),
  {
    method: "GET",
    path: "session_recordings/",
    summary: "List the recordings of sessions: there are none",
    scope: "session_recording:read",
    responses: { 200: NO_RECORDINGS },
    handle: async () => json({ results: [], has_next: false, version: RECORDINGS_VERSION }),
  },
]);
