import { WRAPPERS } from "../../query/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { parseError } from "../http/errors.ts";
import { isObject } from "../http/fields.ts";

/** Kinds with an interval of their own. */
export const INSIGHT_KINDS: ReadonlySet<string> = new Set([
  "TrendsQuery",
  "FunnelsQuery",
  "RetentionQuery",
  "PathsQuery",
  "StickinessQuery",
  "LifecycleQuery",
]);

/** What can be saved; whether a kind can be calculated is for the query layer to say. */
export const KINDS: ReadonlySet<string> = new Set([
  ...WRAPPERS,
  ...INSIGHT_KINDS,
  "HogQLQuery",
  "EventsQuery",
  "ActorsQuery",
  "InsightActorsQuery",
  "FunnelsActorsQuery",
  "FunnelCorrelationQuery",
  "PersonsNode",
  "EventsNode",
  "ActionsNode",
  "SessionsTimelineQuery",
  "WebOverviewQuery",
  "WebStatsTableQuery",
]);

/** The node itself, or the one inside its wrappers. */
export function sourceOf(node: JsonObject): JsonObject {
  let source = node;
  while (WRAPPERS.has(String(source.kind)) && isObject(source.source)) source = source.source;
  return source;
}

/** The node with another source inside its wrappers; the same object where `change` gives the source itself. */
export function withSource(node: JsonObject, change: (source: JsonObject) => JsonObject): JsonObject {
  const { source } = node;
  if (!WRAPPERS.has(String(node.kind)) || !isObject(source)) return change(node);
  const changed = withSource(source, change);
  return changed === source ? node : { ...node, source: changed };
}

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
