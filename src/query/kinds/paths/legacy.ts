import { commonMembers, part, renamed } from "../../insight/legacy.ts";
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
export const LEGACY: Kind["legacy"] = {
  names: ["PATHS"],
  nodeOf: (filters) => ({
    kind: "PathsQuery",
    ...commonMembers(filters),
    ...part("pathsFilter", renamed(filters, PATHS)),
    ...part("funnelPathsFilter", renamed(filters, { funnel_paths: "funnelPathType" })),
  }),
};
