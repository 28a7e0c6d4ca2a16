// Local time out of `Intl` alone. A wall time is the number of milliseconds that UTC would have to be for its clock to
// show the same.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** No zone has changed its clock but at these steps since 1970. */
const SLOT_MS = 15 * MINUTE_MS;

const formatters = new Map<string, Intl.DateTimeFormat>();
/** By zone, then by slot. */
const offsets = new Map<string, Map<number, number>>();

function wallAt(ms: number, timezone: string): number {
  let formatter = formatters.get(timezone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(timezone, formatter);
  }
  // MM/DD/YYYY, hh:mm:ss
  const [month, day, year, hour, minute, second] = formatter.format(ms).match(/\d+/g)!.map(Number);
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}

/** The wall time of an instant. */
export function wallOf(ms: number, timezone: string): number {
  const slot = Math.floor(ms / SLOT_MS) * SLOT_MS;
  let ofZone = offsets.get(timezone);
  if (ofZone === undefined) {
    ofZone = new Map();
    offsets.set(timezone, ofZone);
  }
  let offset = ofZone.get(slot);
  if (offset === undefined) {
    offset = wallAt(slot, timezone) - slot;
    ofZone.set(slot, offset);
  }
  return ms + offset;
}

/** The first instant of a wall time; one that the clock skipped moves on with it. */
export function instantOf(wall: number, timezone: string): number {
  const before = wallOf(wall - DAY_MS, timezone) - (wall - DAY_MS);
  const after = wallOf(wall + DAY_MS, timezone) - (wall + DAY_MS);
  const found = [wall - before, wall - after].filter((ms) => wallOf(ms, timezone) === wall);
  return found.length > 0 ? Math.min(...found) : wall - before;
}

/** `YYYY-MM-DD HH:MM:SS` of a wall time. */
export const wallText = (wall: number): string => new Date(wall).toISOString().slice(0, 19).replace("T", " ");

/** Local `YYYY-MM-DD HH:MM:SS`. */
export const localText = (ms: number, timezone: string): string => wallText(wallOf(ms, timezone));

/** The date that a wall time belongs to, as the wall time of its midnight. */
export const dateOf = (wall: number): number => Math.floor(wall / DAY_MS) * DAY_MS;

/** Months later, on the last day of the month where it is too short. */
export function addMonths(wall: number, count: number): number {
  const at = new Date(wall);
  const month = at.getUTCFullYear() * 12 + at.getUTCMonth() + count;
  const [year, index] = [Math.floor(month / 12), ((month % 12) + 12) % 12];
  const last = new Date(Date.UTC(year, index + 1, 0)).getUTCDate();
  return Date.UTC(year, index, Math.min(at.getUTCDate(), last)) + (wall - dateOf(wall));
}
