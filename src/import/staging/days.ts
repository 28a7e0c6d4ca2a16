import { DAY_MS, UsageError } from "../../types/mod.ts";

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The options `--from` and `--to`, both days of the range. Throws UsageError. */
export function readDays(given: Record<string, string | boolean | undefined>): { from: string; to: string } {
  const from = readDay(given.from, "from");
  const to = readDay(given.to, "to");
  if (from > to) throw new UsageError("--from is after --to.");
  return { from, to };
}

/** A day as `2024-01-31`. */
function readDay(text: string | boolean | undefined, option: string): string {
  const ms = typeof text === "string" && DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || dayOf(ms) !== text) throw new UsageError(`--${option} takes a day, such as 2024-01-31.`);
  return text;
}

/** Ranges of so many days from one day to another, which is in the last one. */
export function rangesOf(from: string, to: string, days: number): { from: string; to: string }[] {
  const last = Date.parse(`${to}T00:00:00Z`);
  const ranges: { from: string; to: string }[] = [];
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= last; at += days * DAY_MS) {
    ranges.push({ from: dayOf(at), to: dayOf(Math.min(at + (days - 1) * DAY_MS, last)) });
  }
  return ranges;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
