/**
 * Epoch milliseconds of an event's time, or null when the text is not a time. Fractions are cut to milliseconds.
 *
 * `2021-02-03`, `2021-02-03T04:05`, `2021-02-03 04:05:06.789123`, each time optionally with `Z`, `+03`, `+0300` or `+03:00`;
 * without a zone it is UTC.
 */
export function parseTimestamp(text: string): number | null {
  const bytes = Buffer.from(text);
  return readTimestamp(bytes, 0, bytes.length);
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** As `parseTimestamp`, of RFC 3339 alone: with seconds and a zone. */
export function parseRfc3339(text: string): number | null {
  return RFC_3339.test(text) ? parseTimestamp(text) : null;
}

/** As `parseTimestamp` for text from `start` to `end`, where nothing that it could go on with may follow: a quote, or no more. */
export function readTimestamp(bytes: Uint8Array, start: number, end: number): number | null {
  if (end - start < 10 || bytes[start + 4] !== DASH || bytes[start + 7] !== DASH) return null;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  const midnight = daysFromEpoch(year, month, day) * 86_400_000;
  if (end - start === 10) return midnight;

  const separator = bytes[start + 10]! | 0x20;
  if (separator !== LOWER_T && separator !== BLANK) return null;
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  if (bytes[start + 13] !== COLON || hour < 0 || hour > 23 || minute < 0 || minute > 59) return null;
  let at = start + 16;
  let second = 0;
  let millis = 0;
  if (bytes[at] === COLON) {
    second = digits(bytes, at + 1, 2);
    if (second < 0 || second > 60) return null;
    at += 3;
    if (bytes[at] === DOT) {
      const fraction = at + 1;
      at = skipDigits(bytes, fraction);
      if (at === fraction) return null;
      const count = Math.min(at - fraction, 3);
      millis = digits(bytes, fraction, count) * FRACTION[count]!;
    }
  }
  const zone = zoneMinutes(bytes, at, end);
  if (zone === null) return null;
  return midnight + ((hour * 60 + minute - zone) * 60 + second) * 1000 + millis;
}

/** Milliseconds of the last digit of a fraction of so many. */
const FRACTION = [0, 100, 10, 1];
const DASH = 0x2d;
const PLUS = 0x2b;
const COLON = 0x3a;
const DOT = 0x2e;
const BLANK = 0x20;
const LOWER_T = 0x74;
const LOWER_Z = 0x7a;

/** Minutes east of UTC of the zone that fills the rest; null when it is not a zone. */
function zoneMinutes(bytes: Uint8Array, at: number, end: number): number | null {
  const rest = end - at;
  if (rest === 0) return 0;
  const sign = bytes[at]!;
  if (rest === 1) return (sign | 0x20) === LOWER_Z ? 0 : null;
  if (sign !== PLUS && sign !== DASH) return null;
  const withColon = rest === 6 && bytes[at + 3] === COLON;
  if (rest !== 3 && rest !== 5 && !withColon) return null;
  const hours = digits(bytes, at + 1, 2);
  const minutes = rest === 3 ? 0 : digits(bytes, at + (withColon ? 4 : 3), 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  return (hours * 60 + minutes) * (sign === DASH ? -1 : 1);
}

/** The number that `count` digits from `at` make, or -1. */
function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = bytes[i]! - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1; // NaN beyond the end, too
    value = value * 10 + digit;
  }
  return value;
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (digits(bytes, at, 1) >= 0) at++;
  return at;
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Days since 1970-01-01 in the Gregorian calendar (`Date.UTC` takes the years 0 to 99 for 1900 to 1999). */
function daysFromEpoch(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1; // a year begins in March, so that leap days end it
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}
