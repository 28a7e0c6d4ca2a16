import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";

/**
 * Text that may hold a number which `JSON.parse` would write otherwise: of more digits than a double keeps, with an exponent, very
 * small, or minus zero.
 */
const UNUSUAL_NUMBER = /[\d.]{17}|9\d{15}|[[:,\s]-?(?:0\.0{6}|\d[\d.]*e|(?<=-)0(?:\.0+)?(?![\d.]))/i;
const INTEGER = /^-?\d+$/;
/** A double has all digits of a number that takes no more. */
const SHORT_CHARACTERS = 16;

/** The standard's types do not know them yet. */
const { rawJSON, isRawJSON } = JSON as unknown as { rawJSON(text: string): Json; isRawJSON(value: unknown): boolean };

/** A value that is an object: no list, and no number that was kept as it was written. */
export function isObject(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && !isRawJSON(value);
}

/**
 * As `JSON.parse`, but every number comes out of `stringifyExact` as Weir keeps it, which is as it was written: a long integer is a
 * bigint, another number that would be written otherwise is kept as text. Throws SyntaxError.
 */
export function parseExact(text: string): Json {
  return UNUSUAL_NUMBER.test(text) ? (JSON.parse(text, keepDigits) as Json) : (JSON.parse(text) as Json);
}

/** `source` is the text of a primitive. */
function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  const written = context?.source ?? "";
  if (INTEGER.test(written) && value !== 0) return Number.isSafeInteger(value) ? value : BigInt(written);
  if (written === String(value)) return value;
  const isShort = written.length <= SHORT_CHARACTERS;
  return isShort && withoutLastZeros(written) === String(value) ? value : rawJSON(written);
}

/** Zeros that end a fraction: Weir does not keep them either. */
const withoutLastZeros = (written: string): string => (written.includes(".") ? written.replace(/\.?0+$/, "") : written);

/** A number without how it was written: `1e5` is 100000. One that a double cannot hold stays. */
export function asNumber(value: Json): Json {
  if (!isRawJSON(value)) return value;
  const written = (value as unknown as { rawJSON: string }).rawJSON;
  const number = Number(written);
  return written.length <= SHORT_CHARACTERS && Number.isFinite(number) ? number : value;
}

/** The text of a number: as it was written where a double would lose digits. Null for anything else. */
export function digitsOf(value: unknown): string | null {
  const plain: unknown = asNumber(value as Json);
  if (typeof plain === "bigint" || (typeof plain === "number" && Number.isFinite(plain))) return String(plain);
  return typeof plain === "object" && isRawJSON(plain) ? (plain as { rawJSON: string }).rawJSON : null;
}

/** A number with the digits that it is written with, in JSON's notation. */
export function numberAsWritten(text: string): Json {
  const value = Number(text);
  return String(value) === text ? value : rawJSON(text);
}

/** As `JSON.stringify` for what `parseExact` gives. */
export function stringifyExact(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch {
    // A bigint is refused with a TypeError.
    const exact = (_key: string, member: unknown) => (typeof member === "bigint" ? rawJSON(String(member)) : member);
    return JSON.stringify(value, exact, indent);
  }
}
