import type { QueryNode } from "../../api/node.ts";
import { sourceOf } from "../../kinds/wrapping.ts";

interface Filters {
  samplingFactor?: number | null;
  trendsFilter?: {
    formula?: string | null;
    formulas?: readonly string[];
    formulaNodes?: readonly unknown[];
    smoothingIntervals?: number | null;
    display?: string | null;
  } | null;
  stickinessFilter?: { computedAs?: string | null } | null;
}

/** What is done to the numbers that the SQL of an insight gives, in words (docs/queries.md); null: they are those of the chart. */
export function untruthOf(node: QueryNode): string | null {
  const { samplingFactor, trendsFilter, stickinessFilter } = sourceOf(node) as Filters;
  const { formula, formulas = [], formulaNodes = [], smoothingIntervals, display } = trendsFilter ?? {};
  if (formula || formulas.length > 0 || formulaNodes.length > 0) return "before the formula";
  if ((smoothingIntervals ?? 1) > 1) return "before they are smoothed";
  const isSummed = display === "ActionsLineGraphCumulative" || stickinessFilter?.computedAs === "cumulative";
  if (isSummed) return "before they are added up";
  return samplingFactor && samplingFactor < 1 ? "of the sample alone" : null;
}
