import { axisLabels } from "../../format/date.ts";
import type { TrendsItem } from "./types.ts";

/** Cells of a calendar; `index` is the place in the item's data, null for days outside of the range. */
export interface Calendar {
  columns: readonly string[];
  rows: readonly { label: string; cells: readonly { value: number | null; index: number | null }[] }[];
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_MS = 86_400_000;

/** Weeks beside each other and weekdays below each other; with hours a row for each day and a column for each hour. */
export const calendarOf = ({ days, data }: TrendsItem, interval: string | undefined): Calendar =>
  interval === "hour" ? byHour(days, data) : byWeek(days, data);

function byWeek(days: readonly string[], data: readonly number[]): Calendar {
  const atMs = days.map((day) => Date.parse(`${day.slice(0, 10)}T00:00:00Z`));
  const startMs = atMs[0] ?? 0;
  const monday = startMs - weekdayOf(startMs) * DAY_MS;
  const weeks = days.length === 0 ? 0 : Math.floor(((atMs.at(-1) ?? startMs) - monday) / (7 * DAY_MS)) + 1;
  const indexOf = new Map(atMs.map((ms, index) => [ms, index]));
  const rows = WEEKDAYS.map((label, weekday) => ({
    label,
    cells: Array.from({ length: weeks }, (_, week) => {
      const index = indexOf.get(monday + (week * 7 + weekday) * DAY_MS) ?? null;
      return { value: index === null ? null : (data[index] ?? null), index };
    }),
  }));
  const mondays = Array.from({ length: weeks }, (_, week) =>
    new Date(monday + week * 7 * DAY_MS).toISOString().slice(0, 10),
  );
  const columns = axisLabels(mondays, "day");
  return { columns, rows };
}

function byHour(days: readonly string[], data: readonly number[]): Calendar {
  const dates = Array.from(new Set(days.map((day) => day.slice(0, 10))));
  const indexOf = new Map(days.map((day, index) => [`${day.slice(0, 10)} ${day.slice(11, 13)}`, index]));
  const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
  const names = axisLabels(dates, "day");
  const rows = dates.map((date, at) => ({
    label: names[at] ?? date,
    cells: hours.map((hour) => {
      const index = indexOf.get(`${date} ${hour}`) ?? null;
      return { value: index === null ? null : (data[index] ?? null), index };
    }),
  }));
  return { columns: hours, rows };
}

/** 0 is Monday. */
const weekdayOf = (ms: number): number => (new Date(ms).getUTCDay() + 6) % 7;
