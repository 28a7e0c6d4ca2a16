import type { DateRange } from "./types.ts";

interface DatesProps {
  value: DateRange | undefined;
  onChange(value: DateRange): void;
  /** What an absent date means: "Last 7 days". */
  fallback?: string;
}

/** The range of dates: common ones, "last n units", from a calendar. */
export function Dates(_props: DatesProps) {
  return null;
}
