import type { Json } from "../types/mod.ts";

/** More digits than a number of JavaScript surely keeps, or an exponent, which may be too large for one. */
const MAY_LOSE = /[\d.]{16,}|\d[eE][+-]?\d/;

/**
 * As `JSON.parse`, but each number that JavaScript would write differently keeps its text when it is written again.
 * Such a number is an opaque object until then. Throws SyntaxError.
 */
export function parseKeepingDigits(text: string): Json {
  return MAY_LOSE.test(text) ? (JSON.parse(text, keepText) as Json) : (JSON.parse(text) as Json);
}

interface RawJson {
  rawJSON(text: string): Json;
}

/** `source` is the text of a primitive; the standard's types do not know it yet. */
function keepText(_key: string, value: Json, context?: { source?: string }): Json {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined || String(value) === source) return value;
  return (JSON as unknown as RawJson).rawJSON(source);
}
