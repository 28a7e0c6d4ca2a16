import { stringifyExact } from "../../reading/mod.ts";

/** JSON of a value, such that equal values have equal texts: members are sorted. */
export function canonicalJson(value: unknown): string {
  return stringifyExact(sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  // A number as it was written.
  if (Object.getPrototypeOf(value) === null) return value;
  const members = value as Record<string, unknown>;
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) {
    if (name === "__proto__") Object.defineProperty(found, name, { value: sorted(members[name]), enumerable: true });
    else found[name] = sorted(members[name]);
  }
  return found;
}
