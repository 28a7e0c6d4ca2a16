import { parseTimestamp } from "./timestamp.ts";

/**
 * Epoch milliseconds of an event's time in any of the forms that are accepted, or null: what `parseTimestamp` knows,
 * seconds or milliseconds since 1970 as digits, `2023/01/05 10:00` and `01/05/2023 10:00` (month first), RFC 2822.
 */
export function parseAnyTimestamp(text: string): number | null {
  return parseTimestamp(text) ?? parseDigits(text) ?? parseSlashes(text) ?? parseRfc2822(text);
}

/** Digits from this number on are milliseconds: 1973 as such, the year 5138 as seconds. */
const FIRST_MILLISECONDS = 1e11;

function parseDigits(text: string): number | null {
  if (!/^-?\d{9,16}(\.\d{1,9})?$/.test(text)) return null;
  const value = Number(text);
  return Math.floor(Math.abs(value) >= FIRST_MILLISECONDS ? value : value * 1000);
}

const YEAR_FIRST = /^(\d{4})\/(\d{1,2})\/(\d{1,2})(?=$|[T ])/i;
const MONTH_FIRST = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?=$|[T ])/i;

function parseSlashes(text: string): number | null {
  const yearFirst = YEAR_FIRST.exec(text);
  const match = yearFirst ?? MONTH_FIRST.exec(text);
  if (match === null) return null;
  const [all, first = "", second = "", third = ""] = match;
  const [year, month, day] = yearFirst ? [first, second, third] : [third, first, second];
  return parseTimestamp(`${year}-${two(month)}-${two(day)}${text.slice(all.length)}`);
}

const RFC_2822 =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*, *)?(\d{1,2}) +([a-z]{3})[a-z]* +(\d{4}) +(\d{2}:\d{2}(?::\d{2})?) *(.*)$/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ZONES: Record<string, string> = {
  "": "",
  Z: "Z",
  UT: "Z",
  GMT: "Z",
  UTC: "Z",
  EST: "-0500",
  EDT: "-0400",
  CST: "-0600",
  CDT: "-0500",
  MST: "-0700",
  MDT: "-0600",
  PST: "-0800",
  PDT: "-0700",
};

/** `Tue, 15 Nov 1994 08:12:31 +0000`; the day's name may be missing and is not checked. */
function parseRfc2822(text: string): number | null {
  const match = RFC_2822.exec(text.trim());
  if (match === null) return null;
  const [, day = "", name = "", year, time, zone = ""] = match;
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  const offset = ZONES[zone.toUpperCase()] ?? zone;
  return month === 0 ? null : parseTimestamp(`${year}-${two(String(month))}-${two(day)}T${time}${offset}`);
}

function two(digits: string): string {
  return digits.padStart(2, "0");
}
