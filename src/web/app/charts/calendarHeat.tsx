import type { Format } from "./types.ts";

interface CalendarHeatProps {
  /** A value for each row and column, such as weekdays by hours. */
  rows: readonly { label: string; values: readonly (number | null)[] }[];
  columns: readonly string[];
  format: Format;
  onPick?(row: number, column: number): void;
}

/** A grid whose cells are darker where there is more. */
export function CalendarHeat(_props: CalendarHeatProps) {
  return null;
}
