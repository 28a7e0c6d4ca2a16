import { isJsonObject, type JsonObject } from "../../../types/mod.ts";
import { commonMembers, part, renamed } from "../../insight/legacy.ts";
import { LEGACY as FUNNELS } from "../funnels/legacy.ts";
import type { Kind } from "../kind.ts";

const PATHS = {
  include_event_types: "includeEventTypes",
  paths_hogql_expression: "pathsHogQLExpression",
  start_point: "startPoint",
  end_point: "endPoint",
  path_groupings: "pathGroupings",
  exclude_events: "excludeEvents",
  step_limit: "stepLimit",
  edge_limit: "edgeLimit",
  min_edge_weight: "minEdgeWeight",
  max_edge_weight: "maxEdgeWeight",
  path_replacements: "pathReplacements",
  local_path_cleaning_filters: "localPathCleaningFilters",
};

/** How paths were written before there were query nodes. */
export const LEGACY = {
  names: ["PATHS"],
  nodeOf: (filters: JsonObject): JsonObject => ({
    kind: "PathsQuery",
    ...commonMembers(filters),
    ...part("pathsFilter", renamed(filters, PATHS)),
    ...part("funnelPathsFilter", funnelOf(filters)),
  }),
} satisfies Kind["legacy"];

/** The funnel is told as filters of its own, with the step among them. */
function funnelOf(filters: JsonObject): JsonObject {
  const { funnel_paths: type, funnel_filter: funnel } = filters;
  if (typeof type !== "string" || !isJsonObject(funnel)) return {};
  return {
    funnelPathType: type,
    funnelSource: FUNNELS.nodeOf(funnel),
    ...renamed(funnel, { funnel_step: "funnelStep" }),
  };
}
