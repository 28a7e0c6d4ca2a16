import { RowRejected } from "../types.ts";

const YEAR_10000_MS = 253_402_300_800_000;
const YEAR_0_MS = -62_167_219_200_000;

/** ISO 8601 as exports write it: a blank or a T between day and time, a fraction of any length, a zone or none (then UTC). */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** Epoch milliseconds, fractions cut; null for another text. */
export function readTime(text: string): number | null {
  const [, day, time = "00:00", fraction = "", zone = "Z"] = TIME.exec(text.trim()) ?? [];
  if (day === undefined) return null;
  const ms = Date.parse(
    `${day}T${time.length === 5 ? `${time}:00` : time}.${fraction.padEnd(3, "0").slice(0, 3)}${zoneOf(zone)}`,
  );
  // `Date.parse` takes the 31st of short months for a day of the next one.
  if (Number.isNaN(ms) || !isDay(day)) return null;
  return ms;
}

function zoneOf(zone: string): string {
  if (/^(z|utc)$/i.test(zone)) return "Z";
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === day;
}

/** ISO 8601 in UTC with milliseconds. Throws RowRejected `no_time`, `bad_time`. */
export function timeOf(text: string | null, column: string): string {
  if (text === null) throw new RowRejected("no_time", `${column} is missing`);
  const ms = readTime(text);
  if (ms === null || ms >= YEAR_10000_MS || ms < YEAR_0_MS) {
    throw new RowRejected("bad_time", `${column} cannot be read as a time: ${text.slice(0, 60)}`);
  }
  return new Date(ms).toISOString();
}
