export interface RetentionRow {
  label: string;
  /** How many began. */
  size: number;
  /** For each column: how many came back (null: that time has not come), the share, whether the time is not over. */
  cells: readonly { count: number | null; ratio: number | null; isIncomplete: boolean }[];
}

interface RetentionGridProps {
  columns: readonly string[];
  rows: readonly RetentionRow[];
  /** Shows shares or counts. */
  shows: "ratio" | "count";
  /** A row over all, such as the averages. */
  mean?: RetentionRow;
  onPick?(row: number, column: number): void;
}

/** Cohorts below each other, how many came back beside each other. */
export function RetentionGrid(_props: RetentionGridProps) {
  return null;
}
