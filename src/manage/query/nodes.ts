import { SAVED, WRAPPERS } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { parseError } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";

/** What can be saved; whether a kind can be calculated is for the query layer to say. */
const KINDS: ReadonlySet<string> = new Set([...WRAPPERS, ...SAVED.map(({ name }) => name)]);

/** A node that may be saved; throws ApiError 400 `parse_error`. */
export function checkNode(value: Json): JsonObject {
  if (!isObject(value)) throw parseError("query: must be an object with kind, e.g. TrendsQuery");
  const kind = value.kind;
  if (typeof kind !== "string") throw parseError(`query.kind: is missing; it is one of ${[...KINDS].join(", ")}`);
  if (!KINDS.has(kind)) throw parseError(`query.kind: unknown kind '${kind}'; it is one of ${[...KINDS].join(", ")}`);
  if (WRAPPERS.has(kind)) {
    if (!isObject(value.source)) throw parseError(`query.source: must be the query that ${kind} shows`);
    checkNode(value.source);
  }
  return value;
}
