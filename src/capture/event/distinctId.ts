import { cleanText, parseExact, QUOTE } from "../../json/mod.ts";
import { readDistinctId } from "../../persons/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";

const PLACES = [EVENT.distinct_id, EVENT.$distinct_id, PROPERTY.distinct_id];

/** Which member names the id that an event is about: beside `properties`, else in them. Undefined when none does. */
function distinctIdKey(event: Members): number | undefined {
  return PLACES.find((key) => event.isGiven(key));
}

/** The id that an event is about, and whether it had to be cut. Null when it has none or a blank one. */
export function distinctIdOf(event: Members): { id: string; isCut: boolean } | null {
  const key = distinctIdKey(event);
  if (key === undefined) return null;
  const found = readDistinctId(event.string(key) ?? parseExact(event.raw(key)));
  return found.id.trim() === "" ? null : found;
}

/** Fields that help to find the sender. */
export function detailsOf(event: Members): Record<string, string | null> {
  return {
    event: textOf(event, EVENT.event),
    distinct_id: textOf(event, distinctIdKey(event)),
    uuid: textOf(event, EVENT.uuid),
  };
}

function textOf(event: Members, key: number | undefined): string | null {
  if (key === undefined || !event.isGiven(key)) return null;
  return cleanText(event.typeOf(key) === QUOTE ? event.string(key)! : event.raw(key));
}
