import { Dates } from "../../../question/dates.tsx";
import { IconButton } from "../../../ui/button.tsx";
import type { BoardFilters } from "./filters.ts";

interface BoardDatesProps {
  value: BoardFilters;
  /** What no dates mean. */
  fallback: string;
  onChange(dates: { date_from: string | null; date_to: string | null }): void;
}

/** Dates over all tiles, and the way back to those that the insights have. */
export function BoardDates({ value: { date_from, date_to }, fallback, onChange }: BoardDatesProps) {
  const hasDates = (date_from ?? date_to ?? null) !== null;
  return (
    <span class="board-dates">
      <Dates
        value={hasDates ? { date_from, date_to } : undefined}
        fallback={fallback}
        onChange={(dates) => onChange({ date_from: dates.date_from ?? null, date_to: dates.date_to ?? null })}
      />
      {hasDates && (
        <IconButton label={fallback} icon="close" onClick={() => onChange({ date_from: null, date_to: null })} />
      )}
    </span>
  );
}
