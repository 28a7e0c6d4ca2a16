import { stringifyExact } from "../../reading/mod.ts";

/** JSON of a value, such that equal values have equal texts: members are sorted. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return stringifyExact(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // A number as it was written.
  if (Object.getPrototypeOf(value) === null) return stringifyExact(value);
  const object = value as Record<string, unknown>;
  let text = "";
  for (const name of Object.keys(object).sort()) {
    text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${canonicalJson(object[name])}`;
  }
  return text === "" ? "{}" : `${text}}`;
}
