import { sankey, sankeyLinkHorizontal } from "d3-sankey";
import type { BoxSize } from "../parts/types.ts";
import type { FlowLink } from "./along.ts";

/** CSS pixels. `index` is that among the nodes that were given. */
export interface PlacedNode {
  index: number;
  left: number;
  top: number;
  width: number;
  height: number;
  /** The larger of what comes in and what goes out. */
  value: number;
}

interface PlacedLink {
  index: number;
  /** Its middle line. */
  path: string;
  strokePx: number;
}

const NODE_WIDTH_PX = 10;
const PADDING_PX = 20;
const EDGE_PX = 4;

/** Places for all nodes and for the links that go to a later layer; others have no place in such a chart. */
export function layOut(
  nodes: readonly { layer: number }[],
  links: readonly FlowLink[],
  { width, height }: BoxSize,
): { nodes: PlacedNode[]; links: PlacedLink[] } {
  const layerOf = (index: number) => nodes[index]?.layer ?? Number.NaN;
  const forward = links
    .map((link, index) => ({ ...link, index }))
    .filter(({ source, target, value }) => layerOf(source) < layerOf(target) && value > 0);
  const layers = 1 + Math.max(0, ...nodes.map(({ layer }) => layer));
  const graph = sankey<{ at: number; layer: number }, { index: number }>()
    .nodeAlign(({ layer }) => layer)
    .nodeWidth(NODE_WIDTH_PX)
    .nodePadding(PADDING_PX)
    .extent([
      [EDGE_PX, 12],
      // Names stand on the right of their nodes, those of the last layer, too.
      [width - (layers > 1 ? width / layers : width) + NODE_WIDTH_PX + EDGE_PX, height - 12],
    ])({ nodes: nodes.map(({ layer }, at) => ({ at, layer })), links: forward.map((link) => ({ ...link })) });
  const pathOf = sankeyLinkHorizontal();
  return {
    nodes: graph.nodes.map((node) => ({
      index: node.at,
      // One layer alone has no width to be spread over.
      left: Number.isFinite(node.x0) ? node.x0! : EDGE_PX,
      top: forward.length > 0 ? node.y0! : restingTop(nodes, node.at, height),
      width: NODE_WIDTH_PX,
      height: forward.length > 0 ? Math.max(0, node.y1! - node.y0!) : 0,
      value: node.value ?? 0,
    })),
    // The narrow lie on the wide, so that all can be pointed at.
    links: graph.links
      .map((link, order) => ({
        index: forward[order]!.index,
        path: pathOf(link) ?? "",
        strokePx: Math.max(1, link.width ?? 1),
      }))
      .sort((a, b) => b.strokePx - a.strokePx),
  };
}

/** Where a node is when nothing comes or goes: as far from the others of its layer as can be. */
function restingTop(nodes: readonly { layer: number }[], index: number, height: number): number {
  const mates = nodes.flatMap(({ layer }, at) => (layer === nodes[index]!.layer ? [at] : []));
  return (height * (mates.indexOf(index) + 0.5)) / mates.length;
}
