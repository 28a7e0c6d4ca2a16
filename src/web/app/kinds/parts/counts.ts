import type { QueryNode } from "../../api/query.ts";

/** A number of people as a drill tells it: null where a sample stands for all, since then the list is shorter. */
export function countOf(node: QueryNode, count: number): number | null {
  const share = node.samplingFactor;
  return typeof share === "number" && share < 1 ? null : count;
}

/** Says what a title is about, without what there is none of: "Step 2, buy, Chrome". */
export const titleOf = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter((part) => typeof part === "string" && part !== "").join(", ");
