import type { Format, Point, Series } from "./types.ts";

interface TimeChartProps {
  /** The label of each place, such as "3 May". */
  axis: readonly string[];
  series: readonly Series[];
  /** `bar`: side by side; `stacked`, `area`: on top of each other; values below zero go downwards. */
  look: "line" | "area" | "bar" | "stacked";
  format: Format;
  /** Short, for the axis of values. */
  formatShort?: Format;
  /** The largest value of the axis where that is known, such as 1 for ratios. */
  max?: number;
  /** Charts with equal keys show the same place when the pointer is over one of them. */
  syncKey?: string;
  onPick?(point: Point): void;
}

/** Values over time. It fills its parent, whose height is set; by keyboard: arrows move over the places, Enter picks. */
export function TimeChart(_props: TimeChartProps) {
  return null;
}
