import { formatNumber } from "../../format/number.ts";
import type { Drill } from "../kind.ts";
import type { Edge, PathStep } from "./answer.ts";
import { type PathsNode, withFilter } from "./node.ts";

// Paths count how often one step follows another; a person may do so several times. So a list has no number to be equal to.

const drillOf = (node: PathsNode, title: string, keys: Record<string, string>): Drill => ({
  title,
  count: null,
  source: { kind: "InsightActorsQuery", source: withFilter(node, keys) },
});

/** Those who went from one step to the other. */
export const edgeDrill = (node: PathsNode, edge: Edge, labels: { source: string; target: string }): Drill =>
  drillOf(node, `${labels.source} → ${labels.target}, ${times(edge.value)}`, {
    pathStartKey: edge.source,
    pathEndKey: edge.target,
  });

/** Those who came to a step; who went on from it; and whose path ended with it. */
export const STEP_DRILLS = [
  {
    label: "People who were here",
    of: (node: PathsNode, { key, label, layer }: PathStep) =>
      drillOf(node, `Step ${layer + 1}: ${label}`, { pathEndKey: key }),
  },
  {
    label: "Who went on",
    of: (node: PathsNode, { key, label, layer }: PathStep) =>
      drillOf(node, `Went on from step ${layer + 1}: ${label}`, { pathStartKey: key }),
  },
  {
    label: "Who left here",
    of: (node: PathsNode, { key, label, layer }: PathStep) =>
      drillOf(node, `Left after step ${layer + 1}: ${label}`, { pathDropoffKey: key }),
  },
] as const;

const times = (count: number): string => (count === 1 ? "once" : `${formatNumber(count)} times`);
