interface IntervalSelectProps {
  value: string | undefined;
  onChange(value: string): void;
  /** All where absent. */
  choices?: readonly ("minute" | "hour" | "day" | "week" | "month")[];
}

/** The width of a place of the time axis. */
export function IntervalSelect(_props: IntervalSelectProps) {
  return null;
}

interface CompareSelectProps {
  value: { compare?: boolean; compare_to?: string } | undefined;
  onChange(value: { compare?: boolean; compare_to?: string } | undefined): void;
}

/** The period that this one is compared with. */
export function CompareSelect(_props: CompareSelectProps) {
  return null;
}

interface AggregationSelectProps {
  projectId: number;
  value: number | null | undefined;
  onChange(value: number | undefined): void;
}

/** Persons, or one of the group types of the project; nothing to see where there are no groups. */
export function AggregationSelect(_props: AggregationSelectProps) {
  return null;
}
