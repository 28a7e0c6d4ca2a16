import type { Format } from "./types.ts";

export interface FunnelStep {
  label: string;
  /** One for each value of the breakdown, or a single one. Counts are of those who came so far. */
  groups: readonly {
    label: string;
    color: number;
    count: number;
    /** Seconds from the step before, median and average; null for the first step. */
    medianS: number | null;
    averageS: number | null;
  }[];
}

interface FunnelBarsProps {
  steps: readonly FunnelStep[];
  /** Steps beside each other, or below. */
  look: "vertical" | "horizontal";
  format: Format;
  /** `isDropped`: those who came to the step before and no further. */
  onPick?(pick: { step: number; group: number; isDropped: boolean }): void;
}

/** How many came to each step, and how many were lost before it. */
export function FunnelBars(_props: FunnelBarsProps) {
  return null;
}
