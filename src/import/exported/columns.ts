import type { Json, JsonObject } from "../../types/mod.ts";
import { numberAsWritten, parseExact } from "../exact.ts";
import type { Fields } from "../fields.ts";
import { RowRejected } from "../types.ts";

/** Exports of the events page write the columns of a row as `*.uuid`, `*.properties.$browser`. */
const STAR = "*.";
const PROPERTIES = "properties.";

/** A column by its name, as text. */
export function textIn(row: Fields, name: string): string | null {
  return row.text(name) ?? row.text(`${STAR}${name}`);
}

/** A column that holds an object, or the JSON text of one; null where it is empty. Throws RowRejected `bad_json` for any other text. */
export function objectIn(row: Fields, name: string): JsonObject | null {
  const found = row.object(name) ?? row.object(`${STAR}${name}`);
  if (found !== null) return found;
  const text = textIn(row, name)?.trim() ?? "";
  if (!EMPTY.has(text)) throw new RowRejected("bad_json", `${name} is no JSON object: ${text.slice(0, 60)}`);
  return null;
}

/** What stands where an export has no properties. */
const EMPTY = new Set(["", "null", "[]"]);

/** Columns of single properties (`properties.$browser`), where an export has those; empty ones are left out. */
export function propertyColumns(row: Fields, isCsv: boolean): JsonObject {
  const found: JsonObject = {};
  for (const name of row.unused()) {
    const bare = name.startsWith(STAR) ? name.slice(STAR.length) : name;
    if (!bare.startsWith(PROPERTIES)) continue;
    const value = row.take(name);
    if (value === undefined || value === null || value === "") continue;
    found[bare.slice(PROPERTIES.length)] = isCsv && typeof value === "string" ? typed(value) : value;
  }
  return found;
}

/** More than this is an id rather than a number. */
const NUMBER_MAX_CHARACTERS = 15;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** What a cell of a CSV says: `12` and `true` are no texts, `007` is one. */
function typed(text: string): Json {
  if (text === "true" || text === "false") return text === "true";
  if (text.length <= NUMBER_MAX_CHARACTERS && NUMBER.test(text)) return numberAsWritten(text);
  if (!text.startsWith("{") && !text.startsWith("[")) return text;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
