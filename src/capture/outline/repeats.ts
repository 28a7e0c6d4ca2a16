import { eachMember, membersOf, OPEN_OBJECT, printMembers } from "../../json/mod.ts";
import { EVENT } from "./keys.ts";
import { Members, type Outline } from "./outline.ts";

/**
 * The body with each name once in the properties of an event; null when no name was there twice. Of equal names the last value
 * counts, as everywhere in JSON, but a search in the text finds the first: so no such text is stored.
 */
export function withoutRepeats(body: Outline): Buffer | null {
  const parts: (Buffer | string)[] = [];
  let at = 0;
  const event = new Members();
  const look = () => {
    if (event.typeOf(EVENT.properties) !== OPEN_OBJECT) return;
    const [start, end] = [event.start(EVENT.properties), event.end(EVENT.properties)];
    const once = printedOnce(event.raw(EVENT.properties));
    if (once === null) return;
    parts.push(body.bytes.subarray(at, start), once);
    at = end;
  };
  // The members of the root of a batch are no event's.
  if (body.rootIs === "object" && !body.hasBatch) {
    event.toRoot(body);
    look();
  }
  for (let i = 0; i < body.itemCount; i++) if (event.toItem(body, i)) look();
  if (parts.length === 0) return null;
  return Buffer.concat(
    [...parts, body.bytes.subarray(at)].map((part) => (typeof part === "string" ? Buffer.from(part) : part)),
  );
}

/** Null where each name stands once. */
function printedOnce(properties: string): string | null {
  let count = 0;
  eachMember(properties, () => count++);
  const members = membersOf(properties);
  return members.size === count ? null : `{${printMembers(members)}}`;
}
