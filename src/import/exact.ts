import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";

/** Text that may hold a number of more digits than a double keeps. */
const LONG_NUMBER = /[\d.]{17}|9\d{15}/;
const INTEGER = /^-?\d+$/;

/** The standard's types do not know them yet. */
const { rawJSON, isRawJSON } = JSON as unknown as { rawJSON(text: string): Json; isRawJSON(value: unknown): boolean };

/** A value that is an object: no list, and no number that was kept as it was written. */
export function isObject(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && !isRawJSON(value);
}

/**
 * As `JSON.parse`, but no number loses digits: a long integer is a bigint, another long number is kept as it was written and
 * comes out of `stringifyExact` like that. Throws SyntaxError.
 */
export function parseExact(text: string): Json {
  return LONG_NUMBER.test(text) ? (JSON.parse(text, keepDigits) as Json) : (JSON.parse(text) as Json);
}

/** `source` is the text of a primitive. */
function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number") return value;
  const written = context?.source ?? "";
  if (INTEGER.test(written)) return Number.isSafeInteger(value) ? value : BigInt(written);
  return written.length < 17 || written === String(value) ? value : rawJSON(written);
}

/** The text of a number: also of one that was kept as it was written, because a double would lose digits. Null for anything else. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  return typeof value === "object" && isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : null;
}

/** A number with the digits that it is written with, in JSON's notation. */
export function numberAsWritten(text: string): Json {
  const value = Number(text);
  return String(value) === text ? value : rawJSON(text);
}

/** As `JSON.stringify` for what `parseExact` gives. */
export function stringifyExact(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint is refused with a TypeError.
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === "bigint" ? rawJSON(String(member)) : member,
    );
  }
}
