import type { SeriesNode } from "../../question/types.ts";

/** docs/queries.md, "StickinessQuery". */
interface StickinessFilter {
  stickinessCriteria?: { operator: "gte" | "lte" | "exact"; value: number };
  computedAs?: "cumulative" | "non_cumulative";
  /** For the eye alone. */
  display?: string;
  [member: string]: unknown;
}

export interface StickinessNode extends SeriesNode {
  kind: "StickinessQuery";
  intervalCount?: number;
  stickinessFilter?: StickinessFilter;
}

export const LINES = "ActionsLineGraph";

/** The same node with members of its filter set; those set to undefined are left out. */
export const withFilter = (node: StickinessNode, filter: Partial<StickinessFilter>): StickinessNode => ({
  ...node,
  stickinessFilter: Object.fromEntries(
    Object.entries({ ...node.stickinessFilter, ...filter }).filter(([, value]) => value !== undefined),
  ) as StickinessFilter,
});
