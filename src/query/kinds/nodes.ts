import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../../types/mod.ts";
import { SERIES_SCHEMAS } from "../insight/series.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { anything, asObject, check, DateRangeSchema, object, optional, shown } from "../shape/shapes.ts";
import { type EventsQuery, EventsSchema, readEvents } from "./events/node.ts";
import { readTrends, type TrendsQuery, TrendsSchema } from "./trends/node.ts";

const HogqlSchema = object({
  kind: Type.Literal("HogQLQuery"),
  query: Type.String(),
  filters: optional(
    object({
      properties: anything,
      dateRange: optional(DateRangeSchema),
      filterTestAccounts: optional(Type.Boolean()),
    }),
  ),
  variables: optional(Type.Record(Type.String(), Type.Unknown())),
  values: optional(Type.Record(Type.String(), Type.Unknown())),
  name: anything,
  explain: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

export type HogqlQuery = Static<typeof HogqlSchema>;
export type QueryNode = TrendsQuery | HogqlQuery | EventsQuery;

/** The shapes of the kinds that are answered, for the API document. */
export const NODE_SCHEMAS = {
  TrendsQuery: {
    ...TrendsSchema,
    properties: {
      ...TrendsSchema.properties,
      series: Type.Array(Type.Union(Object.values(SERIES_SCHEMAS)), { maxItems: 100 }),
    },
  },
  HogQLQuery: HogqlSchema,
  EventsQuery: {
    ...EventsSchema,
    properties: {
      ...EventsSchema.properties,
      actionSteps: Type.Optional(Type.Null()),
      source: Type.Optional(Type.Null()),
    },
  },
};

/** Kinds that only say how to show what their source gives. */
export const WRAPPERS: ReadonlySet<string> = new Set(["InsightVizNode", "DataTableNode", "DataVisualizationNode"]);

/** Kinds of PostHog's that are not answered yet: refused by name. */
const LATER = new Set([
  "ActorsQuery",
  "FunnelsQuery",
  "InsightActorsQuery",
  "LifecycleQuery",
  "PathsQuery",
  "RetentionQuery",
  "StickinessQuery",
]);

/** A JSON value as a known kind of query. Errors: TerminalError `invalid_query` that names the place. */
export function readNode(json: Json): QueryNode {
  let node = asObject(json, "");
  for (let depth = 0; WRAPPERS.has(String(node.kind)); depth++) {
    if (depth === 4) throw invalidQuery("source", "too many wrappers");
    node = asObject(node.source ?? null, "source");
  }
  const kind = node.kind;
  if (kind === "HogQLQuery") return check(HogqlSchema, node, "");
  if (kind === "EventsQuery") return readEvents(node);
  if (kind === "TrendsQuery") return readTrends(node);
  if (typeof kind === "string" && LATER.has(kind)) throw notSupported("kind", kind);
  const problem = kind === undefined ? "is missing" : `unknown kind ${shown(kind)}`;
  throw invalidQuery("kind", `${problem}; it is one of TrendsQuery, HogQLQuery, EventsQuery`);
}
