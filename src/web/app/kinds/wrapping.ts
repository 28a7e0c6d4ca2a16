import type { QueryNode } from "../api/node.ts";

const WRAPPERS: ReadonlySet<string> = new Set(["InsightVizNode", "DataTableNode", "DataVisualizationNode"]);

/** The question within a node: that of wrappers, else the node. */
export function sourceOf(node: QueryNode): QueryNode {
  const { kind, source } = node as { kind: string; source?: QueryNode };
  return WRAPPERS.has(kind) && source !== undefined ? sourceOf(source) : node;
}

/** The node with another question within the same wrappers. */
export function withSource(node: QueryNode, source: QueryNode): QueryNode {
  const inner = node.source as QueryNode | undefined;
  return WRAPPERS.has(node.kind) && inner !== undefined ? { ...node, source: withSource(inner, source) } : source;
}

/** A question as saved insights have it. */
export const wrapped = (source: QueryNode): QueryNode => ({ kind: "InsightVizNode", source });
