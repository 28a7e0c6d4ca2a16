import type { Format } from "./types.ts";

interface SankeyProps {
  /** `layer` 0 is the left. */
  nodes: readonly { key: string; label: string; layer: number }[];
  links: readonly { source: number; target: number; value: number }[];
  format: Format;
  onPickLink?(index: number): void;
  onPickNode?(index: number): void;
}

/** Ways from left to right, as wide as they are frequent. */
export function Sankey(_props: SankeyProps) {
  return null;
}
