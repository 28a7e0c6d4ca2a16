import type { Json } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import { groupIdentifies, idOf, objectOf, Properties } from "../../mapping/mod.ts";
import type { First } from "../../types.ts";

/** `groups {type: [keys]}`: of each type the first key. */
export function groupsOf(fields: Fields): Properties {
  const groups = new Properties();
  for (const [type, keys] of Object.entries(fields.object("groups") ?? {})) groups.set(type, keysOf(keys)[0]);
  return groups;
}

function keysOf(keys: Json): string[] {
  const list = Array.isArray(keys) ? keys : [keys];
  return list.map((key) => idOf(key)).filter((key) => key !== null);
}

/** `group_properties {type: {key: {…}}}`: a `$groupidentify` for each group that has some. */
export function groupFirsts(fields: Fields, atMs: number): First[] {
  const firsts: First[] = [];
  for (const [type, ofType] of Object.entries(fields.object("group_properties") ?? {})) {
    for (const [key, value] of Object.entries(objectOf(ofType) ?? {})) {
      const set = new Properties(objectOf(value));
      if (!set.isEmpty && type !== "" && key !== "") firsts.push(groupIdentifies(type, key, set.toObject(), atMs));
    }
  }
  return firsts;
}
