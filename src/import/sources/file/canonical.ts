import type { Json } from "../../../types/mod.ts";
import { asNumber, isObject, stringifyExact } from "../../exact.ts";

/** JSON of a value, such that equal values have equal texts: members are sorted. */
export function canonicalJson(value: unknown): string {
  return stringifyExact(sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value as Json)) return asNumber(value as Json);
  const members = value as Record<string, unknown>;
  const found: Record<string, unknown> = {};
  for (const name of sortedNames(members)) {
    if (name === "__proto__") Object.defineProperty(found, name, { value: sorted(members[name]), enumerable: true });
    else found[name] = sorted(members[name]);
  }
  return found;
}

/** By how many names there are: those of the object that was sorted last. Rows of a file mostly have the same. */
const known: { names: string[]; sorted: string[] }[] = [];

function sortedNames(members: object): string[] {
  const names = Object.keys(members);
  const last = known[names.length];
  if (last?.names.every((name, i) => name === names[i])) return last.sorted;
  const sorted = names.toSorted();
  if (names.length < KNOWN_MAX) known[names.length] = { names, sorted };
  return sorted;
}

const KNOWN_MAX = 200;
