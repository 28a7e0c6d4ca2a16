/** The times that a chart has, by the clock of the project (`Times` of the charts). */
interface Times {
  days: readonly string[];
  interval: string;
  zone: string;
}

const STEPS_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** What a clock on the wall shows, as if it stood in UTC: epoch milliseconds. NaN for a text that is no time. */
function wallMs(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}${text.length <= 10 ? "T00:00:00" : ""}Z`);
}

/** The same of an instant in a zone. */
function wallOf(atMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return wallMs(format.format(atMs));
}

/** The place of a chart that an instant belongs to; -1: it is before the first or after the last. */
export function placeOf({ days, interval, zone }: Times, atMs: number): number {
  const wall = wallOf(atMs, zone);
  const last = days.at(-1);
  if (last === undefined || wall >= endOf(wallMs(last), interval)) return -1;
  return days.findLastIndex((day) => wallMs(day) <= wall);
}

function endOf(wall: number, interval: string): number {
  const months = MONTHS[interval];
  if (months === undefined) return wall + (STEPS_MS[interval] ?? STEPS_MS.day!);
  const end = new Date(wall);
  end.setUTCMonth(end.getUTCMonth() + months);
  return end.getTime();
}

/** The instant at which the clock of a zone shows a time; where it never does, the one it then shows. Epoch milliseconds. */
export function instantOf(text: string, zone: string): number {
  const wall = wallMs(text);
  let at = wall;
  // Once more, where the offset at the guess is not that at the time.
  for (let turn = 0; turn < 2; turn++) at += wall - wallOf(at, zone);
  return at;
}

/** "2026-05-01T10:00", as a field for a time has it, by the clock of a zone. */
export const fieldText = (atMs: number, zone: string): string =>
  new Date(wallOf(atMs, zone)).toISOString().slice(0, 16);

interface Placed<T> {
  leftPx: number;
  item: T;
}
export interface Group<T> {
  leftPx: number;
  items: readonly T[];
}

/** Things beside each other, those that would lie over each other as one; the first place of a group is its own. */
export function grouped<T>(placed: readonly Placed<T>[], leastPx: number): readonly Group<T>[] {
  const groups: { leftPx: number; items: T[] }[] = [];
  for (const { leftPx, item } of [...placed].sort((a, b) => a.leftPx - b.leftPx)) {
    const last = groups.at(-1);
    if (last !== undefined && leftPx - last.leftPx < leastPx) last.items.push(item);
    else groups.push({ leftPx, items: [item] });
  }
  return groups;
}
