import type { Json } from "../../types/mod.ts";
import { RowRejected } from "../types.ts";
import { numberOf } from "./values.ts";

const YEAR_0_MS = -62_167_219_200_000;
const YEAR_10000_MS = 253_402_300_800_000;

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** Epoch milliseconds of a time as text (ISO 8601, or with a blank for the T); without a zone it is UTC. Null for anything else. */
export function parseTime(text: string): number | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone = ""] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const ofDay = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return date.getTime() + ofDay + Number(fraction.padEnd(3, "0").slice(0, 3)) - zoneMinutes(zone) * 60_000;
}

function zoneMinutes(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (match === null) return 0;
  return (Number(match[2]) * 60 + Number(match[3] ?? 0)) * (match[1] === "-" ? -1 : 1);
}

/** A time that can be stored, in whole milliseconds. Throws RowRejected `bad_time` for one out of the calendar. */
export function storable(ms: number): number {
  const whole = Math.floor(ms);
  if (!(whole >= YEAR_0_MS && whole < YEAR_10000_MS))
    throw new RowRejected("bad_time", "The time is out of the calendar");
  return whole;
}

/** The first of these values that is a time as text. Throws RowRejected: `bad_time` where one was given, else `no_time`. */
export function firstTime(values: readonly (Json | undefined)[]): number {
  const given = values.filter((value) => value !== undefined && value !== null && value !== "");
  for (const value of given) {
    const ms = typeof value === "string" ? parseTime(value) : null;
    if (ms !== null) return storable(ms);
  }
  if (given.length === 0) throw new RowRejected("no_time", "It has no time");
  throw new RowRejected("bad_time", `${shown(given[0]!)} is not a time`);
}

/** From this number on it is milliseconds: the year 2286 as seconds. */
const FIRST_MILLISECONDS = 1e10;

/** Seconds or milliseconds since 1970, told apart by their size. Throws RowRejected `no_time`, `bad_time`. */
export function epochTime(value: Json | undefined): number {
  if (value === undefined || value === null || value === "") throw new RowRejected("no_time", "It has no time");
  const number = numberOf(value);
  if (number === null) throw new RowRejected("bad_time", `${shown(value)} is not a time`);
  return storable(Math.abs(number) > FIRST_MILLISECONDS ? number : Math.round(number * 1000));
}

/** Microseconds since 1970 as milliseconds. Throws RowRejected `no_time`, `bad_time`. */
export function microsTime(value: Json | undefined): number {
  if (value === undefined || value === null || value === "") throw new RowRejected("no_time", "It has no time");
  const number = numberOf(value);
  if (number === null) throw new RowRejected("bad_time", `${shown(value)} is not a time`);
  return storable(number / 1000);
}

function shown(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  return typeof value === "object" ? "An object" : String(value);
}

/** Offsets of zones by quarter of an hour: they change at quarters only. */
const offsets = new Map<string, Map<number, number>>();
const QUARTER_MS = 900_000;
const REMEMBERED = 50_000;

/**
 * The instant at which clocks of a zone (IANA name) show what `wallMs` would be in UTC. An hour that comes twice is the first one, an
 * hour that is left out goes forward.
 */
export function fromWallClock(wallMs: number, zone: string): number {
  let known = offsets.get(zone);
  if (known === undefined || known.size > REMEMBERED) {
    known = new Map();
    offsets.set(zone, known);
  }
  const quarter = Math.floor(wallMs / QUARTER_MS);
  let offset = known.get(quarter);
  if (offset === undefined) {
    const wall = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO("UTC").toPlainDateTime();
    offset = wall.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds - wallMs;
    known.set(quarter, offset);
  }
  return wallMs + offset;
}

/** Whether a text names a time zone. */
export function isZone(zone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}
