import { membersOf, parseExact } from "../json/mod.ts";

/** Keys that `$unset` names, by its JSON text: a list of keys, or an object, of which the keys count. */
export function unsetKeys(text: string): string[] {
  if (text.startsWith("{")) return [...membersOf(text).keys()];
  const value = parseExact(text);
  return Array.isArray(value) ? value.filter((key) => typeof key === "string") : [];
}
