import { parseExact } from "../../json/mod.ts";
import { readDistinctId } from "../../persons/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";

const PLACES = [EVENT.distinct_id, EVENT.$distinct_id, PROPERTY.distinct_id];

/** Which member names the id that an event is about: beside `properties`, else in them. Undefined when none does. */
export function distinctIdKey(event: Members): number | undefined {
  return PLACES.find((key) => event.isGiven(key));
}

/** The id that an event is about, and whether it had to be cut. Null when it has none or a blank one. */
export function distinctIdOf(event: Members): { id: string; isCut: boolean } | null {
  const key = distinctIdKey(event);
  if (key === undefined) return null;
  const found = readDistinctId(event.string(key) ?? parseExact(event.raw(key)));
  return found.id.trim() === "" ? null : found;
}
