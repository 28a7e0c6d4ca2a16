import { cleanText } from "../properties/mod.ts";
import { EVENT, PROPERTY } from "./keys.ts";
import { type Members, QUOTE } from "./outline.ts";

/** What helps to find the sender. */
export function detailsOf(event: Members): Record<string, string | null> {
  return {
    event: textOf(event, EVENT.event),
    distinct_id: textOf(event, event.isGiven(EVENT.distinct_id) ? EVENT.distinct_id : PROPERTY.distinct_id),
    uuid: textOf(event, EVENT.uuid),
  };
}

function textOf(event: Members, key: number): string | null {
  if (!event.isGiven(key)) return null;
  return cleanText(event.typeOf(key) === QUOTE ? event.string(key)! : event.raw(key));
}
