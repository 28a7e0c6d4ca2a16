import type { QueryNode } from "../../api/node.ts";
import type { DateRange, FilterGroup, PropertyFilter } from "../../question/types.ts";
import { withMembers } from "../parts/members.ts";

export type ItemType = "$pageview" | "$screen" | "custom_event" | "hogql";

/** All that the regular expression finds becomes the alias. */
export interface CleaningRule {
  regex: string;
  alias: string;
}

/** docs/queries.md, "PathsQuery". */
export interface PathsFilter {
  includeEventTypes?: readonly ItemType[];
  pathsHogQLExpression?: string;
  startPoint?: string;
  endPoint?: string;
  pathGroupings?: readonly string[];
  excludeEvents?: readonly string[];
  pathReplacements?: boolean;
  localPathCleaningFilters?: readonly CleaningRule[];
  stepLimit?: number;
  edgeLimit?: number;
  minEdgeWeight?: number;
  maxEdgeWeight?: number;
  /** For the eye alone. */
  showFullUrls?: boolean;
  [member: string]: unknown;
}

/** The paths of those who came to a step of a funnel, or dropped off before it. */
export interface FunnelPathsFilter {
  funnelPathType: "funnel_path_before_step" | "funnel_path_between_steps" | "funnel_path_after_step";
  funnelSource: QueryNode;
  funnelStep: number;
}

export interface PathsNode extends QueryNode {
  kind: "PathsQuery";
  pathsFilter?: PathsFilter;
  funnelPathsFilter?: FunnelPathsFilter | null;
  dateRange?: DateRange;
  properties?: FilterGroup | readonly PropertyFilter[];
  aggregation_group_type_index?: number | null;
}

export const DEFAULT_STEPS = 5;
export const DEFAULT_EDGES = 50;

/** The same node with members of its filter set; those set to undefined are left out. */
export const withFilter = (node: PathsNode, filter: Partial<PathsFilter>): PathsNode => ({
  ...node,
  pathsFilter: withMembers(node.pathsFilter, filter),
});
