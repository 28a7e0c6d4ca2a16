import type { Json } from "../types/mod.ts";

const NUL = "\0";
const REPLACEMENT = "\ufffd";

/** NUL and lone surrogates, which stores refuse, become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes(NUL) ? whole.replaceAll(NUL, REPLACEMENT) : whole;
}

/** At most `max` characters (code points). */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let i = 0; i < max && end < text.length; i++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** A surrogate pair, any other escape; in this order, so that a half that the first does not match has no partner. */
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]/g;
const UNSTORABLE = /^\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})$/;

/** NUL and lone surrogates in raw JSON text, where they can only stand as escapes, become U+FFFD. */
export function cleanJson(json: string): string {
  if (!json.includes("\\u")) return json;
  return json.replace(ESCAPES, (written) => (UNSTORABLE.test(written) ? "\\ufffd" : written));
}

/** As `JSON.parse`, but a number that would lose digits is a string of those that were written. */
export function parseExact(json: string): Json {
  return JSON.parse(json, keepDigits) as Json;
}

/** `source` is the text of a primitive; the standard's types do not know it yet. */
function keepDigits(_key: string, value: Json, context?: { source: string }): Json {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER ? context!.source : value;
}
