import { type Sql, sql, text } from "./sql.ts";

/** One step of a JSON pointer (RFC 6901). Pointers, because in a JSON path even a quoted `*` is a wildcard. */
function pointerStep(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Array positions count from one for users, from zero in a pointer. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((key) => (typeof key === "number" ? `/${key - 1}` : pointerStep(key))).join("");
}

/**
 * The value at `path` of a JSON text as text: strings as they are, numbers and booleans as their JSON text,
 * objects and arrays as JSON; NULL where it is missing or JSON null.
 */
export function propertyText(json: Sql, path: readonly (string | number)[]): Sql {
  return sql`json_extract_string(${json}, ${text(pointerOf(path))})`;
}

/** The number in a text, else NULL. */
export function asNumber(value: Sql): Sql {
  return sql`TRY_CAST(${value} AS DOUBLE)`;
}
