import { cleanText, membersOf, parseExact } from "../json/mod.ts";
import { type AcceptedEvent, EventFlag, type Json } from "../types/mod.ts";
import { distinctIdText } from "./distinctId.ts";

export interface IdentifiedGroup {
  type: string;
  key: string;
  /** JSON text of `$group_set`; "" when there is none. */
  set: string;
}

type Told = Pick<AcceptedEvent, "event" | "flags" | "properties">;

/** The group that a `$groupidentify` is about; null for any other event, where it was deleted, and when type or key are missing. */
export function identifiedGroup({ event, flags, properties }: Told): IdentifiedGroup | null {
  if (event !== GROUP_IDENTIFY || flags & (EventFlag.Personless | EventFlag.Groupless)) return null;
  const members = membersOf(properties);
  const type = textOf(members.get("$group_type"));
  const key = textOf(members.get("$group_key"));
  return type === null || key === null ? null : { type, key, set: members.get("$group_set") ?? "" };
}

export const GROUP_KEY_MAX_CHARACTERS = 400;

/** Whether a group has a key that is too long to be kept. */
export function hasLongKey({ key }: IdentifiedGroup): boolean {
  return [...key].length > GROUP_KEY_MAX_CHARACTERS;
}

/** The event that describes a group. */
export const GROUP_IDENTIFY = "$groupidentify";

/** A character of `$groups` as an escape. */
const ESCAPED = /\\u00(?:24|6[7f]|7[0235])/i;

/** `$groups` of an event: keys by type. */
export function groupsOf({ flags, properties }: Told): Map<string, string> {
  const groups = new Map<string, string>();
  if (flags & EventFlag.Personless) return groups;
  if (!properties.includes('$groups"') && !(properties.includes("\\u00") && ESCAPED.test(properties))) return groups;
  for (const [type, value] of membersOf(membersOf(properties).get("$groups") ?? "")) {
    const key = textOf(value);
    if (type !== "" && key !== null) groups.set(type, key);
  }
  return groups;
}

/** The text of a truthy JSON value; of another type than string, its JSON. */
function textOf(json: string | undefined): string | null {
  const value: Json = json === undefined ? null : parseExact(json);
  if (!value) return null;
  return typeof value === "string" ? cleanText(value) : distinctIdText(value);
}
