import { isNode, type QueryNode } from "../api/node.ts";

const WRAPPERS: ReadonlySet<string> = new Set(["InsightVizNode", "DataTableNode", "DataVisualizationNode"]);

/** The question within a node: that of wrappers, else the node. */
export function sourceOf(node: QueryNode): QueryNode {
  const inner = innerOf(node);
  return inner === null ? node : sourceOf(inner);
}

/** The node with another question within the same wrappers. */
export function withSource(node: QueryNode, source: QueryNode): QueryNode {
  const inner = innerOf(node);
  return inner === null ? source : { ...node, source: withSource(inner, source) };
}

const innerOf = ({ kind, source }: QueryNode): QueryNode | null =>
  WRAPPERS.has(kind) && isNode(source) ? source : null;

/** A question as saved insights have it. */
export const wrapped = (source: QueryNode): QueryNode => ({ kind: "InsightVizNode", source });
