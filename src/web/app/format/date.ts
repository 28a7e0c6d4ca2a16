/** A place of a time axis is as wide as this. */
export type Interval = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";

/** A time: an instant with its offset, or what a clock on the wall shows ("2026-05-01", "2026-05-01 10:00:00"). */
type TimeText = string;

interface Clock {
  date: Date;
  zone: string;
}

const ZONED = /(?:Z|[+-]\d\d:?\d\d)$/;

/** Wall times are read as UTC and written as UTC, so that nothing moves them. Null: no time. */
function clockOf(text: TimeText | Date, zone: string): Clock | null {
  if (text instanceof Date) return Number.isNaN(text.getTime()) ? null : { date: text, zone };
  const isInstant = text.length > 10 && ZONED.test(text);
  const date = new Date(isInstant ? text : `${text.replace(" ", "T")}${text.length <= 10 ? "T00:00:00" : ""}Z`);
  if (Number.isNaN(date.getTime())) return null;
  return { date, zone: isInstant ? zone : "UTC" };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone}|${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options });
    formats.set(key, format);
  }
  return format;
}

/** Parts of a time as text, such as `{ year: "2026", month: "May", day: "1", weekday: "Fri", hour: "09", minute: "05" }`. */
function partsOf({ date, zone }: Clock): Record<string, string> {
  const format = formatOf(zone, {
    year: "numeric",
    month: "short",
    day: "numeric",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(date)) parts[type] = value;
  // Four letters for one month alone would make it wider than the others.
  parts.month = parts.month === "Sept" ? "Sep" : parts.month!;
  return parts;
}

/**
 * Labels of a time axis, short and all alike: "1 May", "10:00", "May". The year is there only where the axis has several, the
 * day with hours only where there are several days. `zone` (IANA) counts for instants alone.
 */
export function axisLabels(places: readonly TimeText[], interval: Interval, zone = "UTC"): string[] {
  const clocks = places.map((place) => clockOf(place, zone));
  const parts = clocks.map((clock) => (clock === null ? null : partsOf(clock)));
  const years = new Set(parts.map((part) => part?.year));
  const days = new Set(parts.map((part) => `${part?.day} ${part?.month} ${part?.year}`));
  return parts.map((part, index) => {
    if (part === null) return places[index]!;
    const year = years.size > 1 ? ` ${part.year}` : "";
    switch (interval) {
      case "year":
        return part.year!;
      case "month":
        return `${part.month}${year}`;
      case "day":
      case "week":
        return `${part.day} ${part.month}${year}`;
      default: {
        const time = `${part.hour}:${part.minute}${interval === "second" ? `:${part.second}` : ""}`;
        return days.size > 1 ? `${part.day} ${part.month} ${time}` : time;
      }
    }
  });
}

const DAY_MS = 86_400_000;

/** A place of a time axis in full: "Fri 1 May 2026", "1–7 May 2026" (a week), "May 2026", "Fri 1 May 2026, 10:00". */
export function placeTitle(place: TimeText, interval: Interval, zone = "UTC"): string {
  const clock = clockOf(place, zone);
  if (clock === null) return place;
  const { year, month, day, weekday, hour, minute, second } = partsOf(clock);
  switch (interval) {
    case "year":
      return year!;
    case "month":
      return `${month} ${year}`;
    case "week": {
      const end = partsOf({ date: new Date(clock.date.getTime() + 6 * DAY_MS), zone: clock.zone });
      return spanText({ year, month, day }, end);
    }
    case "day":
      return `${weekday} ${day} ${month} ${year}`;
    default:
      return `${weekday} ${day} ${month} ${year}, ${hour}:${minute}${interval === "second" ? `:${second}` : ""}`;
  }
}

/** From the first day to the last, both included: "1–7 May 2026", "28 Apr – 3 May 2026". */
function spanText(from: Record<string, string | undefined>, to: Record<string, string | undefined>): string {
  const end = `${to.day} ${to.month} ${to.year}`;
  if (from.year !== to.year) return `${from.day} ${from.month} ${from.year} – ${end}`;
  if (from.month !== to.month) return `${from.day} ${from.month} – ${end}`;
  return `${from.day}–${end}`;
}

/** "1 May 2026". */
export function formatDate(time: TimeText | Date, zone = "UTC"): string {
  const clock = clockOf(time, zone);
  if (clock === null) return String(time);
  const { day, month, year } = partsOf(clock);
  return `${day} ${month} ${year}`;
}

/** "1 May 2026, 10:05". */
export function formatDateTime(time: TimeText | Date, zone = "UTC"): string {
  const clock = clockOf(time, zone);
  if (clock === null) return String(time);
  const { hour, minute } = partsOf(clock);
  return `${formatDate(time, zone)}, ${hour}:${minute}`;
}
