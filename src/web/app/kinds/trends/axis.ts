import type { QueryAnswer } from "../../api/query.ts";
import type { TrendsItem } from "./types.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A day of an answer for people: "3 May", "3 May 14:00", "May 2026". Local times of the project; no zone is in them. */
export function placeLabel(day: string, interval: string | undefined): string {
  const [, year, month, date, time] = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d))?/.exec(day) ?? [];
  if (year === undefined) return day;
  const name = MONTHS[Number(month) - 1];
  if (interval === "month" || interval === "quarter") return `${name} ${year}`;
  if (interval === "year") return year;
  const isOfTime = interval === "hour" || interval === "minute" || interval === "second";
  return `${Number(date)} ${name}${isOfTime && time !== undefined ? ` ${time}` : ""}`;
}

/** How many of the last values are of intervals that were not over when the answer was made. */
export function incompleteOf(item: TrendsItem, answer: QueryAnswer): number {
  const end = (answer.resolved_date_range as { date_to?: string } | undefined)?.date_to;
  const at = answer.last_refresh ?? new Date().toISOString();
  if (end === undefined || Date.parse(end) <= Date.parse(at) || item.days.length < 2) return 0;
  const now = localText(Date.parse(at), answer.timezone);
  const last = item.days.findLastIndex((day) => day.replace("T", " ") <= now);
  return last < 0 ? 0 : item.days.length - last;
}

/** "2026-05-03 14:05:09" in a zone. */
function localText(atMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(atMs);
}
