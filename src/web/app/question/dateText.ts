import type { DateRange } from "./types.ts";

/** A range that people ask for often. */
interface Preset extends DateRange {
  label: string;
  date_from: string;
}

/** PostHog's ranges. */
export const PRESETS: readonly Preset[] = [
  { label: "Today", date_from: "dStart" },
  { label: "Yesterday", date_from: "-1dStart", date_to: "-1dEnd" },
  { label: "Last 24 hours", date_from: "-24h" },
  { label: "Last 7 days", date_from: "-7d" },
  { label: "Last 14 days", date_from: "-14d" },
  { label: "Last 30 days", date_from: "-30d" },
  { label: "Last 90 days", date_from: "-90d" },
  { label: "Last 180 days", date_from: "-180d" },
  { label: "This month", date_from: "mStart" },
  { label: "Last month", date_from: "-1mStart", date_to: "-1mEnd" },
  { label: "Year to date", date_from: "yStart" },
  { label: "All time", date_from: "all" },
];

/** Units of relative dates, as the API writes them. */
export const UNITS = { M: "minute", h: "hour", d: "day", w: "week", m: "month", q: "quarter", y: "year" } as const;
export type Unit = keyof typeof UNITS;

export interface Shift {
  amount: number;
  unit: Unit;
}

/** How far a relative date goes back; null for other dates. */
export function shiftOf(date: string | null | undefined): Shift | null {
  const match = /^-?(\d{1,6})([Mhdwmqy])$/.exec(date ?? "");
  return match === null ? null : { amount: Number(match[1]), unit: match[2] as Unit };
}

const shiftText = ({ amount, unit }: Shift): string => `${amount} ${UNITS[unit]}${amount === 1 ? "" : "s"}`;
export const dateOfShift = ({ amount, unit }: Shift): string => `-${amount}${unit}`;

/** The preset that a range is. */
export function presetOf({ date_from: from, date_to: to = null }: DateRange): Preset | undefined {
  return PRESETS.find((preset) => preset.date_from === from && (preset.date_to ?? null) === (to || null));
}

/** A range in words. `fallback`: what an absent beginning means. */
export function dateRangeText(range: DateRange | undefined, fallback = "Last 7 days"): string {
  const { date_from: from = null, date_to: to = null } = range ?? {};
  if (!from && !to) return fallback;
  const preset = presetOf(range ?? {});
  if (preset !== undefined) return preset.label;
  const shift = shiftOf(from);
  if (shift !== null && !to) return `Last ${shift.amount === 1 ? UNITS[shift.unit] : shiftText(shift)}`;
  if (!to) return `From ${dateText(from ?? "")}`;
  if (!from) return `Until ${dateText(to)}`;
  const [begin, end] = [dateText(from), dateText(to)];
  if (begin === end) return begin;
  const [sameYear] = / \d{4}$/.exec(end) ?? [];
  return `${sameYear !== undefined && begin.endsWith(sameYear) ? begin.slice(0, -sameYear.length) : begin} – ${end}`;
}

/** One date in words, relative or not; other texts as they are. */
export function dateText(date: string): string {
  const shift = shiftOf(date);
  if (shift !== null) return `${shiftText(shift)} ago`;
  const preset = PRESETS.find((one) => one.date_from === date);
  if (preset !== undefined) return preset.label.toLowerCase();
  const parts = partsOf(date);
  if (parts === null) return date;
  const day = DAY.format(new Date(`${parts.day}T00:00:00Z`)).replace("Sept", "Sep");
  return parts.time === null ? day : `${day} ${parts.time}`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** The day, and the time where it has one, of an absolute date; null for others and for days that there are not. */
export function partsOf(date: string | null | undefined): { day: string; time: string | null } | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/.exec(
    date ?? "",
  );
  if (match === null || Number.isNaN(Date.parse(`${match[1]}T00:00:00Z`))) return null;
  return { day: match[1]!, time: match[2] ?? null };
}

/** A range of two days; with times it is taken as exactly as it is written. */
export function absoluteRange(from: string, to: string, times: { from: string; to: string } | null): DateRange {
  const [begin, end] = from <= to ? [from, to] : [to, from];
  if (times === null) return { date_from: begin, date_to: end };
  return { date_from: `${begin}T${times.from}:00`, date_to: `${end}T${times.to}:59`, explicitDate: true };
}
