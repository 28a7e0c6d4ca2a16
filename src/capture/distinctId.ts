import type { Json } from "../types/mod.ts";
import { EVENT, PROPERTY } from "./keys.ts";
import { type Members, QUOTE, stringValue } from "./outline.ts";
import { cleanText, cutCharacters } from "./text.ts";

const MAX_CHARACTERS = 200;

/** The id that an event is about: beside `properties`, else in them. Null when it has none or a blank one. */
export function distinctIdOf(event: Members): string | null {
  const raw = written(event);
  const text = raw.charCodeAt(0) === QUOTE ? stringValue(raw) : jsonText(raw);
  const id = cutCharacters(cleanText(text), MAX_CHARACTERS);
  return id.trim() === "" ? null : id;
}

function written(event: Members): string {
  if (event.isGiven(EVENT.distinct_id)) return event.raw(EVENT.distinct_id);
  if (event.isGiven(EVENT.$distinct_id)) return event.raw(EVENT.$distinct_id);
  return event.isGiven(PROPERTY.distinct_id) ? event.raw(PROPERTY.distinct_id) : '""';
}

/** What is no string stands for its JSON: compact, keys sorted; numbers that would lose digits as they were written. */
function jsonText(raw: string): string {
  const value = JSON.parse(raw) as Json;
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) return raw;
  return JSON.stringify(value, (_key, inner: Json) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
