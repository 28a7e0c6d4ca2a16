import type { QueryNode } from "../../api/node.ts";

/** Whether a sample stands for all: then lists are shorter than numbers say. */
export const isSampled = ({ samplingFactor: share }: QueryNode): boolean => typeof share === "number" && share < 1;

/** A number of people as a drill tells it: null where a sample stands for all. */
export const countOf = (node: QueryNode, count: number): number | null => (isSampled(node) ? null : count);

/** Says what a title is about, without what there is none of: "Step 2, buy, Chrome". */
export const titleOf = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter((part) => typeof part === "string" && part !== "").join(", ");
