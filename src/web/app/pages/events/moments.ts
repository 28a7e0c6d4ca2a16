import { formatDate, placeTitle } from "../../format/date.ts";

/** Clocks of senders and batches of SDKs make so much of a difference. */
const LATE_FROM_MS = 60_000;
const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
] as const;

/** How much later an event came than its own time, or how much earlier; null where that is not worth a word. */
export function lateText({ at, cameAt }: { at: string; cameAt: string }): string | null {
  const ms = Date.parse(cameAt) - Date.parse(at);
  const [unitMs, unit] = UNITS.find(([size]) => Math.abs(ms) >= size) ?? [];
  if (unitMs === undefined || Math.abs(ms) < LATE_FROM_MS) return null;
  const count = Math.floor(Math.abs(ms) / unitMs);
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"} ${ms > 0 ? "late" : "ahead"}`;
}

const CLOCK = "00:00:00".length;
const YEAR = " 2026".length;

/** "10:05:07" of today, "1 May, 10:05:07" of this year, "1 May 2025, 10:05:07". */
export function momentOf(time: string, zone: string, nowMs = Date.now()): string {
  const clock = placeTitle(time, "second", zone).slice(-CLOCK);
  const [day, today] = [formatDate(time, zone), formatDate(new Date(nowMs), zone)];
  if (day === today) return clock;
  const isThisYear = day.slice(-YEAR) === today.slice(-YEAR);
  return `${isThisYear ? day.slice(0, -YEAR) : day}, ${clock}`;
}
