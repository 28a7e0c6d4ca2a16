import { stringifyExact } from "../../reading/mod.ts";

/** JSON of a value, such that equal values have equal texts: members are sorted. */
export function canonicalJson(value: unknown): string {
  return stringifyExact(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]));
}
