/**
 * Epoch milliseconds of an event's time, or null when the text is none. Fractions are cut to milliseconds.
 *
 * `2021-02-03`, `2021-02-03T04:05`, `2021-02-03 04:05:06.789123`, each time optionally with `Z`, `+03`, `+0300` or `+03:00`;
 * without a zone it is UTC.
 */
export function parseTimestamp(text: string): number | null {
  const end = text.length;
  if (end < 10 || text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return null;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  const midnight = daysFromEpoch(year, month, day) * 86_400_000;
  if (end === 10) return midnight;

  const separator = text.charCodeAt(10) | 0x20;
  if (separator !== LOWER_T && separator !== BLANK) return null;
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  if (text.charCodeAt(13) !== COLON || hour < 0 || hour > 23 || minute < 0 || minute > 59) return null;
  let at = 16;
  let second = 0;
  let millis = 0;
  if (text.charCodeAt(at) === COLON) {
    second = digits(text, 17, 2);
    if (second < 0 || second > 60) return null;
    at = 19;
    if (text.charCodeAt(at) === DOT) {
      at = skipDigits(text, 20);
      if (at === 20) return null;
      millis = digits(text, 20, Math.min(at - 20, 3)) * FRACTION[Math.min(at - 20, 3)]!;
    }
  }
  const zone = zoneMinutes(text, at);
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

/** Minutes east of UTC of the zone that fills the rest of the text; null when it is none. */
function zoneMinutes(text: string, at: number): number | null {
  const rest = text.length - at;
  if (rest === 0) return 0;
  const sign = text.charCodeAt(at);
  if (rest === 1) return (sign | 0x20) === LOWER_Z ? 0 : null;
  if (sign !== PLUS && sign !== DASH) return null;
  const withColon = rest === 6 && text.charCodeAt(at + 3) === COLON;
  if (rest !== 3 && rest !== 5 && !withColon) return null;
  const hours = digits(text, at + 1, 2);
  const minutes = rest === 3 ? 0 : digits(text, at + (withColon ? 4 : 3), 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  return (hours * 60 + minutes) * (sign === DASH ? -1 : 1);
}

/** The number that `count` digits from `at` make, or -1. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1; // NaN beyond the end, too
    value = value * 10 + digit;
  }
  return value;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (digits(text, at, 1) >= 0) at++;
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
