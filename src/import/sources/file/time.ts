import { digitsOf } from "../../exact.ts";
import { RowRejected } from "../../types.ts";

/** How times are written. */
export interface TimeRule {
  /** As of strftime, or `unix`, `unix_ms`, `unix_us`; null: ISO 8601, or a number whose size tells its unit. */
  format: string | null;
  /** IANA name, for times without a zone of their own. */
  zone: string;
}

const ISO =
  /^([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i;

/** Epoch milliseconds of a value. Throws RowRejected `bad_time`. */
export function readTime(value: unknown, rule: TimeRule): number {
  const text = digitsOf(value) ?? String(value);
  const ms = rule.format === null ? anyTime(text.trim(), rule.zone) : timeBy(rule.format, text, rule.zone);
  if (Number.isNaN(ms)) throw new RowRejected("bad_time", `"${text.slice(0, 100)}" is no time as it is expected.`);
  return ms;
}

/** Of `2024-01-31T10:00:00.000Z`, which most rows have: what comes out as it went in needs no pattern. */
const PLAIN_LENGTH = 24;

function anyTime(text: string, zone: string): number {
  if (text.length === PLAIN_LENGTH) {
    const ms = Date.parse(text);
    if (!Number.isNaN(ms) && new Date(ms).toISOString() === text) return ms;
  }
  if (/^-?\d+(\.\d+)?$/.test(text)) return epochMs(Number(text));
  const parts = ISO.exec(text);
  if (parts === null) return Number.NaN;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", offset] = parts;
  const clock = clockMs([year, month, day, hour, minute, second].map(Number), fraction);
  return offset === undefined ? clock - offsetMs(clock, zone) : clock - writtenOffsetMs(offset);
}

/** Seconds, milliseconds, micro- or nanoseconds: of the years 1973 to 5138 only one of them. */
function epochMs(number: number): number {
  const size = Math.abs(number);
  if (size < 1e11) return Math.round(number * 1e3);
  if (size < 1e14) return Math.round(number);
  if (size < 1e17) return Math.floor(number / 1e3);
  return Math.floor(number / 1e6);
}

const UNITS: Record<string, number> = { unix: 1e3, unix_ms: 1, unix_us: 1e-3, unix_ns: 1e-6 };

/** What a directive of strftime stands for, as a pattern. */
const DIRECTIVES: Record<string, [part: string, pattern: string]> = {
  Y: ["year", "\\d{4}"],
  y: ["shortYear", "\\d{2}"],
  m: ["month", "\\d{1,2}"],
  d: ["day", "\\d{1,2}"],
  e: ["day", "\\s?\\d{1,2}"],
  H: ["hour", "\\d{1,2}"],
  I: ["hour12", "\\d{1,2}"],
  M: ["minute", "\\d{1,2}"],
  S: ["second", "\\d{1,2}"],
  f: ["fraction", "\\d{1,9}"],
  p: ["half", "[AaPp]\\.?[Mm]\\.?"],
  b: ["monthName", "[A-Za-z]{3}"],
  B: ["monthName", "[A-Za-z]+"],
  a: ["", "[A-Za-z]{3}"],
  A: ["", "[A-Za-z]+"],
  z: ["offset", "Z|[+-]\\d\\d:?\\d\\d"],
};
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

interface Compiled {
  pattern: RegExp;
  parts: string[];
}

const compiled = new Map<string, Compiled>();

/** Why a format cannot be read with; null where it can. */
export function formatProblem(format: string): string | null {
  if (format in UNITS) return null;
  const unknown = /%([^YymdeHIMSfpbBaAzTF%])/.exec(format);
  if (unknown !== null) return `%${unknown[1]} is not known`;
  if (!/%[YyF]/.test(format)) return "it has no year (%Y), and is none of unix, unix_ms, unix_us";
  return null;
}

function compile(format: string): Compiled {
  const known = compiled.get(format);
  if (known !== undefined) return known;
  const parts: string[] = [];
  const whole = format.replaceAll("%F", "%Y-%m-%d").replaceAll("%T", "%H:%M:%S");
  const pattern = whole.replaceAll(/%(.)|[^%]/g, (text, directive: string | undefined) => {
    if (directive === undefined) return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, "\\$&");
    if (directive === "%") return "%";
    const [part, source] = DIRECTIVES[directive]!;
    if (part === "") return `(?:${source})`;
    parts.push(part);
    return `(${source})`;
  });
  const made = { pattern: new RegExp(`^\\s*${pattern}\\s*$`), parts };
  compiled.set(format, made);
  return made;
}

function timeBy(format: string, text: string, zone: string): number {
  const unit = UNITS[format];
  if (unit !== undefined) return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Math.floor(Number(text) * unit) : Number.NaN;
  const { pattern, parts } = compile(format);
  const found = pattern.exec(text);
  if (found === null) return Number.NaN;
  const at: Record<string, string> = Object.fromEntries(parts.map((part, i) => [part, found[i + 1]!]));
  const year = at.year ?? (Number(at.shortYear) < 69 ? `20${at.shortYear}` : `19${at.shortYear}`);
  const named = at.monthName === undefined ? null : MONTHS.indexOf(at.monthName.slice(0, 3).toLowerCase()) + 1;
  const hour = at.hour12 === undefined ? Number(at.hour ?? 0) : hourOf(Number(at.hour12), at.half ?? "");
  const numbers = [
    Number(year),
    named ?? Number(at.month ?? 1),
    Number(at.day ?? 1),
    hour,
    Number(at.minute ?? 0),
    Number(at.second ?? 0),
  ];
  const clock = clockMs(numbers, at.fraction ?? "");
  return at.offset === undefined ? clock - offsetMs(clock, zone) : clock - writtenOffsetMs(at.offset);
}

function hourOf(hour12: number, half: string): number {
  if (hour12 < 1 || hour12 > 12) return Number.NaN;
  return (hour12 % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** As if the clock were UTC's; NaN for a day or time that there is not. */
function clockMs(numbers: readonly number[], fraction: string): number {
  const [year, month, day, hour, minute, second] = numbers as [number, number, number, number, number, number];
  if (!(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Number.NaN;
  const millis = Number(fraction.padEnd(3, "0").slice(0, 3));
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + millis;
}

function writtenOffsetMs(text: string): number {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const QUARTER_MS = 900_000;
const OFFSETS_MAX = 100_000;
const offsets = new Map<string, number>();

/** How far a zone's clock is ahead of UTC when it shows this; of two possible times the earlier. */
function offsetMs(clock: number, zone: string): number {
  if (zone === "UTC" || Number.isNaN(clock)) return 0;
  const quarter = Math.floor(clock / QUARTER_MS);
  const key = `${quarter} ${zone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= OFFSETS_MAX) offsets.clear();
  const shown = Temporal.Instant.fromEpochMilliseconds(quarter * QUARTER_MS)
    .toZonedDateTimeISO("UTC")
    .toPlainDateTime();
  const found = quarter * QUARTER_MS - shown.toZonedDateTime(zone).epochMilliseconds;
  offsets.set(key, found);
  return found;
}
