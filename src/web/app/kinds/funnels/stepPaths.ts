import type { Further } from "../drill.ts";
import type { FunnelsNode } from "./node.ts";

type PathType = "funnel_path_before_step" | "funnel_path_between_steps" | "funnel_path_after_step";

const TYPES = ["$pageview", "custom_event"];

/**
 * Questions for the ways of those who came to a step, counted from 0, or dropped off before it: before, after, and from the step
 * before to it. None where the funnel counts what an expression names, which paths cannot. They are of all values of a breakdown.
 */
export function pathsOfStep(node: FunnelsNode, step: number, isDropped: boolean): readonly Further[] {
  const { dateRange, filterTestAccounts, aggregation_group_type_index: group } = node;
  if (node.funnelsFilter?.funnelAggregateByHogQL) return [];
  const question = (label: string, funnelPathType: PathType): Further => ({
    label,
    node: {
      kind: "PathsQuery",
      pathsFilter: { includeEventTypes: TYPES },
      funnelPathsFilter: { funnelPathType, funnelStep: isDropped ? -(step + 1) : step + 1, funnelSource: node },
      ...(dateRange && { dateRange }),
      ...(filterTestAccounts && { filterTestAccounts }),
      ...(group !== undefined && { aggregation_group_type_index: group }),
    },
  });
  if (isDropped) {
    return [
      question("Before they dropped off", "funnel_path_before_step"),
      question("After they dropped off", "funnel_path_after_step"),
    ];
  }
  const after = question("After this step", "funnel_path_after_step");
  if (step === 0) return [after];
  return [
    question("Leading to this step", "funnel_path_before_step"),
    question("From the step before to this one", "funnel_path_between_steps"),
    after,
  ];
}
