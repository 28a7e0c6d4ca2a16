import { distinctIdText, parseExact } from "../properties/mod.ts";
import { EVENT, PROPERTY } from "./keys.ts";
import type { Members } from "./outline.ts";

const PLACES = [EVENT.distinct_id, EVENT.$distinct_id, PROPERTY.distinct_id];

/** The id that an event is about: beside `properties`, else in them. Null when it has none or a blank one. */
export function distinctIdOf(event: Members): string | null {
  for (const key of PLACES) {
    if (!event.isGiven(key)) continue;
    const id = distinctIdText(event.string(key) ?? parseExact(event.raw(key)));
    return id.trim() === "" ? null : id;
  }
  return null;
}
