import type { TrendsItem } from "./types.ts";

/** Weekdays below each other, hours beside each other. */
export interface Calendar {
  rows: readonly { label: string; values: readonly number[]; total: number }[];
  columns: readonly string[];
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);

/** The calendar of an item; null where its answer has none. Cells that the answer leaves out have no events. */
export function calendarOf(item: TrendsItem | undefined): Calendar | null {
  if (item?.calendar_heatmap_data === undefined) return null;
  const { data, rowAggregations } = item.calendar_heatmap_data;
  const cells = new Map(data.map(({ row, column, value }) => [`${row} ${column}`, value]));
  const totals = new Map(rowAggregations.map(({ row, value }) => [row, value]));
  const rows = WEEKDAYS.map((label, index) => ({
    label,
    values: HOURS.map((_, hour) => cells.get(`${index + 1} ${hour}`) ?? 0),
    total: totals.get(index + 1) ?? 0,
  }));
  return { rows, columns: HOURS };
}

/** A cell as a breakdown: its weekday, 1 for Monday, and its hour. */
export const CELL_BREAKDOWN = {
  breakdowns: [
    { type: "hogql", property: "toDayOfWeek(timestamp)" },
    { type: "hogql", property: "toHour(timestamp)" },
  ],
};
