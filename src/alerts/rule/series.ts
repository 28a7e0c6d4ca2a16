/** One line of a trend, or one number. */
export interface Line {
  label: string;
  /** By interval, the present one last; null for a total. */
  values: readonly number[] | null;
  total: number;
}
