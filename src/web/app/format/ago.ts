const UNITS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const DATE_TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** How long ago something was, in its largest unit: "5 minutes ago", "yesterday"; "just now" within a minute. */
export function formatAgo(iso: string, nowMs = Date.now()): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return iso;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [null, 1];
  return unit === null ? "just now" : AGO.format(-Math.trunc(seconds / size), unit);
}

/** "3 May 2026, 14:05", in the reader's own time zone. */
export const formatDateTime = (iso: string): string => DATE_TIME.format(new Date(iso));
