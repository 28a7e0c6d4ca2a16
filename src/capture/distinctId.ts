import { distinctIdText, parseExact } from "../properties/mod.ts";
import { EVENT, PROPERTY } from "./keys.ts";
import { type Members, QUOTE, stringValue } from "./outline.ts";

/** The id that an event is about: beside `properties`, else in them. Null when it has none or a blank one. */
export function distinctIdOf(event: Members): string | null {
  const raw = written(event);
  const id = distinctIdText(raw.charCodeAt(0) === QUOTE ? stringValue(raw) : parseExact(raw));
  return id.trim() === "" ? null : id;
}

function written(event: Members): string {
  if (event.isGiven(EVENT.distinct_id)) return event.raw(EVENT.distinct_id);
  if (event.isGiven(EVENT.$distinct_id)) return event.raw(EVENT.$distinct_id);
  return event.isGiven(PROPERTY.distinct_id) ? event.raw(PROPERTY.distinct_id) : '""';
}
