import type { Json } from "../types/mod.ts";
import { cleanText, cutCharacters } from "./text.ts";

export const DISTINCT_ID_MAX_CHARACTERS = 200;

/**
 * A distinct_id as it is stored: no NUL, no lone surrogate, at most 200 characters. What is no string stands for its
 * JSON, compact and with keys sorted. `value` comes from `parseExact`.
 */
export function distinctIdText(value: Json): string {
  return readDistinctId(value).id;
}

/** The same, and whether it was cut, so that it may be another's too. */
export function readDistinctId(value: Json): { id: string; isCut: boolean } {
  const text = cleanText(typeof value === "string" ? value : sortedJson(value));
  const id = cutCharacters(text, DISTINCT_ID_MAX_CHARACTERS);
  return { id, isCut: id.length < text.length };
}

/** As `JSON.parse`, but a number that would lose digits is a string of those that were written. */
export function parseExact(json: string): Json {
  return JSON.parse(json, keepDigits) as Json;
}

/** `source` is the text of a primitive; the standard's types do not know it yet. */
function keepDigits(_key: string, value: Json, context?: { source: string }): Json {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER ? context!.source : value;
}

function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
