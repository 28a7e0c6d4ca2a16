import type { Drill } from "../drill.ts";
import { isSampled } from "../parts/counts.ts";
import type { Edge, PathStep } from "./answer.ts";
import { type PathsNode, withFilter } from "./node.ts";

// Paths count how often one step follows another; a person may do so several times. So it is the events behind the people that are as many.

const drillOf = (
  node: PathsNode,
  title: string,
  keys: Record<string, string>,
  events: number | null = null,
): Drill => ({
  title,
  count: null,
  events,
  source: { kind: "InsightActorsQuery", source: withFilter(node, keys) },
});

/** Those who went from one step to the other. */
export const edgeDrill = (node: PathsNode, edge: Edge, labels: { source: string; target: string }): Drill =>
  drillOf(
    node,
    `${labels.source} → ${labels.target}`,
    { pathStartKey: edge.source, pathEndKey: edge.target },
    isSampled(node) ? null : edge.value,
  );

/** Those who came to a step; who went on from it; and whose path ended with it. */
export const STEP_DRILLS = [
  {
    label: "Were here",
    of: (node: PathsNode, { key, label, layer }: PathStep) =>
      drillOf(node, `Step ${layer + 1}: ${label}`, { pathEndKey: key }),
  },
  {
    label: "Went on",
    of: (node: PathsNode, { key, label, layer }: PathStep) =>
      drillOf(node, `Went on from step ${layer + 1}: ${label}`, { pathStartKey: key }),
  },
  {
    label: "Left here",
    of: (node: PathsNode, { key, label, layer }: PathStep) =>
      drillOf(node, `Left after step ${layer + 1}: ${label}`, { pathDropoffKey: key }),
  },
] as const;
