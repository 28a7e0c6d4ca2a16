import type { Format } from "./types.ts";

interface HistogramProps {
  bins: readonly { label: string; count: number }[];
  format: Format;
  /** Beside the chart, such as the average. */
  note?: string;
  onPick?(index: number): void;
}

/** How many fall into each bin. */
export function Histogram(_props: HistogramProps) {
  return null;
}
