export interface FunnelStep {
  label: string;
  /** The step that this one is compared with, where that is not the one before: optional steps are passed over. */
  before?: number;
  /** One for each value of the breakdown, or a single one. Counts are of those who came so far. */
  groups: readonly {
    label: string;
    color: number;
    count: number;
    /** Of a period that another is compared with: not counted where all groups are told together. */
    isPrevious?: boolean;
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
