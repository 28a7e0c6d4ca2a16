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

/** The same text, and whether it was cut: two long ids can have the same text. */
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

/** Values that faulty SDKs send as a distinct_id; their case of letters does not matter. */
const ILLEGAL_IN_ANY_CASE =
  "anonymous guest distinctid distinct_id id not_authenticated email undefined true false".split(" ");
/** The same, with the case of letters as written. */
const ILLEGAL_AS_WRITTEN = ["[object Object]", "NaN", "None", "none", "null", "0", "undefined"];
/** More values that `/i/v1/…` makes no person for; it ignores the case of letters. */
const ILLEGAL_FOR_PERSONS = ["00000000-0000-0000-0000-000000000000", "anonymous-user", "backend", "system", "user"];

const inAnyCase = new Set(ILLEGAL_IN_ANY_CASE.flatMap(withQuotes));
const asWritten = new Set(ILLEGAL_AS_WRITTEN.flatMap(withQuotes));
const forPersons = new Set(
  [...ILLEGAL_IN_ANY_CASE, ...ILLEGAL_AS_WRITTEN, ...ILLEGAL_FOR_PERSONS].flatMap((id) => withQuotes(id.toLowerCase())),
);
const LONGEST = "00000000-0000-0000-0000-000000000000".length + 2;

/** Whether an id may not take part in merges, because many persons would share it (docs/persons.md#illegal-ids). */
export function isIllegalToMerge(distinctId: string): boolean {
  if (distinctId.length > LONGEST) return false;
  return distinctId.trim() === "" || asWritten.has(distinctId) || inAnyCase.has(distinctId.toLowerCase());
}

/** Whether `/i/v1/…` makes no person for the id; a longer list than that of merges. */
export function isIllegalForPersons(distinctId: string): boolean {
  return distinctId.length <= LONGEST && forPersons.has(distinctId.toLowerCase());
}

function withQuotes(id: string): string[] {
  return [id, `'${id}'`, `"${id}"`];
}
