import { EVENT, PROPERTY } from "./keys.ts";
import { type Members, OPEN_OBJECT } from "./outline.ts";
import type { PropertiesEdit } from "./propertiesEdit.ts";
import { members, printMembers } from "./scan.ts";

/**
 * `$set` and `$set_once` beside `properties` go into those in them and win (reference: capture, 2.3). What else an event
 * says of its person is derived when it is stored (`src/properties`), so that no text is kept twice.
 */
export function writePersonProperties(event: Members, edit: PropertiesEdit): void {
  merge(event, EVENT.$set, PROPERTY.$set, "$set", edit);
  merge(event, EVENT.$set_once, PROPERTY.$set_once, "$set_once", edit);
}

function merge(event: Members, beside: number, inside: number, name: string, edit: PropertiesEdit): void {
  if (event.typeOf(beside) !== OPEN_OBJECT) return;
  const all = event.typeOf(inside) === OPEN_OBJECT ? members(event.raw(inside)) : new Map<string, string>();
  for (const [key, value] of members(event.raw(beside))) all.set(key, value);
  edit.remove(inside);
  edit.add(`"${name}":{${printMembers(all)}}`);
}
