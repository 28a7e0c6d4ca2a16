import { cleanText, cutCharacters } from "../json/mod.ts";
import type { Json } from "../types/mod.ts";

export const DISTINCT_ID_MAX_CHARACTERS = 200;

/**
 * A distinct_id as it is stored: no NUL, no lone surrogate, at most 200 characters. A value of another type becomes its
 * JSON, compact and with keys sorted. `value` comes from `parseExact`.
 */
export function distinctIdText(value: Json): string {
  return readDistinctId(value).id;
}

/** The same, and whether it was cut: then another id may be the same after the cut. */
export function readDistinctId(value: Json): { id: string; isCut: boolean } {
  const text = cleanText(typeof value === "string" ? value : sortedJson(value));
  const id = cutCharacters(text, DISTINCT_ID_MAX_CHARACTERS);
  return { id, isCut: id.length < text.length };
}

function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
