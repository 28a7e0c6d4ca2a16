import { useMemo, useRef, useState } from "preact/hooks";
import { cutPath } from "../format/name.ts";
import { Chunk, useChunk } from "./parts/chunk.tsx";
import { type HoverProps, useHover } from "./parts/hover.ts";
import { Spoken } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { useScrollStop } from "./parts/scrollStop.ts";
import { useSize } from "./parts/size.ts";
import { SvgPart } from "./parts/svgPart.tsx";
import { Tip, TipRows } from "./parts/tip.tsx";
import type { Format } from "./parts/types.ts";
import { along, type FlowLink, type Lit } from "./sankey/along.ts";
import type { PlacedNode } from "./sankey/layout.ts";

interface SankeyProps {
  /** `layer` 0 is the left. */
  nodes: readonly { key: string; label: string; layer: number }[];
  links: readonly FlowLink[];
  format: Format;
  onPickLink?(index: number): void;
  onPickNode?(index: number): void;
}

/** A layer narrower than this has no room for names; the chart scrolls then. */
const LAYER_PX = 150;
const NODE_PX = 26;
const LETTER_PX = 6.6;
/** The node, gaps, and its number. */
const BESIDE_PX = 64;
const layouts = new Chunk(() => import("./sankey/layout.ts"));

/** Ways from left to right, as wide as they are frequent. */
export function Sankey({ nodes, links, format, onPickLink, onPickNode }: SankeyProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  useScrollStop(root, onPickLink === undefined && onPickNode === undefined);
  const size = useSize(root);
  const { loaded, problem } = useChunk(layouts);
  const [lit, setLit] = useState<Lit | null>(null);
  const { hover, on } = useHover<number>();
  const layers = 1 + Math.max(0, ...nodes.map(({ layer }) => layer));
  const inLayer = Math.max(0, ...countLayers(nodes));
  const width = Math.max(size?.width ?? 0, layers * LAYER_PX);
  const height = Math.max(size?.height ?? 0, inLayer * NODE_PX + 16);
  const placed = useMemo(
    () => (loaded === undefined || size === null ? null : loaded.layOut(nodes, links, { width, height })),
    [loaded, nodes, links, width, height, size === null],
  );
  if (nodes.length === 0) return <p class="chart-empty">Nothing to draw</p>;
  const letters = Math.max(8, Math.floor((width / layers - BESIDE_PX) / LETTER_PX));
  const isDim = (isLit: boolean) => (lit !== null && !isLit ? "dimmed" : "");
  return (
    <figure ref={root} class="sankey" aria-label="Paths">
      {problem}
      {placed !== null && (
        <div class="sankey-box" style={{ width: `${width}px`, height: `${height}px` }}>
          {/* biome-ignore lint/a11y/noSvgWithoutTitle: its parts have names */}
          <svg width={width} height={height}>
            {placed.links.map(({ index, path, strokePx }) => {
              const link = links[index]!;
              return (
                <SvgPart
                  key={index}
                  class={`sankey-link ${isDim(lit?.links.has(index) ?? false)}`}
                  d={path}
                  stroke-width={strokePx}
                  fill="none"
                  at={`${link.target},${nodes[link.source]!.layer * 2 + 1}`}
                  label={linkWords(nodes, link, format)}
                  onPick={onPickLink && (() => onPickLink(index))}
                  {...lighting(
                    on(index),
                    () => setLit(along(links, { link: index })),
                    () => setLit(null),
                  )}
                />
              );
            })}
          </svg>
          {placed.nodes.map((node) => (
            <NodeBox
              key={nodes[node.index]!.key}
              node={node}
              label={nodes[node.index]!.label}
              letters={letters}
              text={format(node.value)}
              at={`${node.index},${nodes[node.index]!.layer * 2}`}
              class={isDim(lit?.nodes.has(node.index) ?? false)}
              onLight={(isLit) => setLit(isLit ? along(links, { node: node.index }) : null)}
              onPick={onPickNode && (() => onPickNode(node.index))}
            />
          ))}
        </div>
      )}
      {hover !== null && links[hover.what] !== undefined && (
        <Tip x={hover.x} y={hover.y}>
          <TipRows
            title={`${nodes[links[hover.what]!.source]!.label} → ${nodes[links[hover.what]!.target]!.label}`}
            rows={[{ key: "value", label: "Continued", value: format(links[hover.what]!.value) }]}
          />
        </Tip>
      )}
    </figure>
  );
}

/** The handlers of a part, which light what belongs to it, too. */
function lighting(handlers: HoverProps, light: () => void, unlight: () => void): HoverProps {
  return {
    onPointerMove: (event) => {
      handlers.onPointerMove(event);
      light();
    },
    onPointerLeave: () => {
      handlers.onPointerLeave();
      unlight();
    },
    onFocus: (event) => {
      handlers.onFocus(event);
      light();
    },
    onBlur: () => {
      handlers.onBlur();
      unlight();
    },
  };
}

function countLayers(nodes: SankeyProps["nodes"]): number[] {
  const counts: number[] = [];
  for (const { layer } of nodes) counts[layer] = (counts[layer] ?? 0) + 1;
  return counts.filter((count) => count !== undefined);
}

function linkWords(nodes: SankeyProps["nodes"], { source, target, value }: FlowLink, format: Format): string {
  return `${nodes[source]!.label} to ${nodes[target]!.label}: ${format(value)}`;
}

interface NodeBoxProps {
  node: PlacedNode;
  label: string;
  letters: number;
  text: string;
  at: string;
  class: string;
  onLight(isLit: boolean): void;
  onPick?: () => void;
}

function NodeBox({ node, label, letters, text, at, onLight, onPick, ...rest }: NodeBoxProps) {
  const { left, top, width, height } = node;
  const shared = {
    class: `sankey-node ${rest.class}`,
    style: {
      left: `${left}px`,
      top: `${top + height / 2}px`,
      "--node-height": `${Math.max(2, height)}px`,
      "--node-width": `${width}px`,
    },
    onPointerEnter: () => onLight(true),
    onPointerLeave: () => onLight(false),
  };
  const words = `${label}: ${text}`;
  const inner = (
    <>
      <span class="sankey-bar" />
      <span class="sankey-label">
        <bdi title={label}>{cutPath(label, letters)}</bdi> <span class="sankey-value">{text}</span>
      </span>
    </>
  );
  if (onPick === undefined) {
    return (
      <div {...shared} role="img" aria-label={words}>
        {inner}
      </div>
    );
  }
  return (
    <button
      type="button"
      {...shared}
      tabIndex={-1}
      data-at={at}
      onClick={onPick}
      onFocus={() => onLight(true)}
      onBlur={() => onLight(false)}
    >
      <Spoken label={words}>{inner}</Spoken>
    </button>
  );
}
