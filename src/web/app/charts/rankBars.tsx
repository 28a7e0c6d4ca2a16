import type { Format, Part } from "./types.ts";

interface RankBarsProps {
  parts: readonly Part[];
  format: Format;
  onPick?(index: number): void;
}

/** Values from the top down, each with its name and a bar. */
export function RankBars(_props: RankBarsProps) {
  return null;
}
