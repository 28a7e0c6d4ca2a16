import type { Format, Part } from "./types.ts";

interface PieProps {
  parts: readonly Part[];
  format: Format;
  onPick?(index: number): void;
}

/** Shares of a whole, as a ring with its total. */
export function Pie(_props: PieProps) {
  return null;
}
