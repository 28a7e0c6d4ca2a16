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

/** A bar, or what was lost before it. */
export interface FunnelPick {
  step: number;
  group: number;
  isDropped: boolean;
}
