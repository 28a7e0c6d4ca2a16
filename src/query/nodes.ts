import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Json, JsonObject } from "../types/mod.ts";
import { invalidQuery, notSupported } from "./errors.ts";

const optional = <T extends TSchema>(type: T) => Type.Optional(Type.Union([type, Type.Null()]));
const object = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields, { additionalProperties: false });
/** Read elsewhere, or for the eye only. */
const anything = Type.Optional(Type.Unknown());

export const DateRangeSchema = object({
  date_from: optional(Type.String()),
  date_to: optional(Type.String()),
  explicitDate: optional(Type.Boolean()),
});

const SeriesSchema = object({
  kind: Type.Literal("EventsNode"),
  event: optional(Type.String()),
  name: optional(Type.String()),
  custom_name: optional(Type.String()),
  properties: anything,
  fixedProperties: anything,
  math: optional(Type.String()),
  math_multiplier: anything,
  math_property: optional(Type.String()),
  math_property_type: optional(Type.String()),
  math_property_revenue_currency: anything,
  math_hogql: optional(Type.String()),
  math_group_type_index: optional(Type.Number()),
  optionalInFunnel: anything,
  limit: anything,
  orderBy: anything,
  version: anything,
  response: anything,
});

const TrendsSchema = object({
  kind: Type.Literal("TrendsQuery"),
  series: Type.Array(Type.Unknown(), { maxItems: 100 }),
  interval: optional(Type.String()),
  dateRange: optional(DateRangeSchema),
  properties: anything,
  filterTestAccounts: optional(Type.Boolean()),
  trendsFilter: optional(Type.Record(Type.String(), Type.Unknown())),
  breakdownFilter: optional(Type.Record(Type.String(), Type.Unknown())),
  compareFilter: optional(Type.Record(Type.String(), Type.Unknown())),
  samplingFactor: optional(Type.Number()),
  aggregation_group_type_index: optional(Type.Number()),
  conversionGoal: anything,
  dataColorTheme: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

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

export type EventsNode = Static<typeof SeriesSchema>;
export type TrendsQuery = Omit<Static<typeof TrendsSchema>, "series"> & { series: EventsNode[] };
export type HogqlQuery = Static<typeof HogqlSchema>;
export type QueryNode = TrendsQuery | HogqlQuery;

/** Kinds that only say how to show what their source gives. */
export const WRAPPERS: ReadonlySet<string> = new Set(["InsightVizNode", "DataTableNode", "DataVisualizationNode"]);

/** Kinds of PostHog's that are not answered yet: refused by name. */
const LATER = new Set([
  "ActorsQuery",
  "EventsQuery",
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
  if (kind === "TrendsQuery") {
    const trends = check(TrendsSchema, node, "");
    return { ...trends, series: trends.series.map((item, i) => readSeries(item as Json, `series.${i}`)) };
  }
  if (typeof kind === "string" && LATER.has(kind)) throw notSupported("kind", kind);
  throw invalidQuery("kind", kind === undefined ? "is missing" : `unknown kind ${shown(kind)}`);
}

function readSeries(json: Json, place: string): EventsNode {
  const kind = asObject(json, place).kind;
  if (kind === "ActionsNode" || kind === "DataWarehouseNode") throw notSupported(`${place}.kind`, kind);
  return check(SeriesSchema, json, place);
}

function asObject(json: Json, place: string): JsonObject {
  if (json === null || typeof json !== "object" || Array.isArray(json)) {
    throw invalidQuery(place === "" ? "query" : place, "must be an object");
  }
  return json;
}

/** Checks a value's shape; the message names the first wrong field. */
function check<T extends TSchema>(schema: T, value: unknown, place: string): Static<T> {
  const error = Value.Errors(schema, value).First();
  if (error === undefined) return value as Static<T>;
  const path = [place, ...error.path.split("/").slice(1)].filter((part) => part !== "").join(".");
  const isUnknown = error.message === "Unexpected property";
  throw invalidQuery(path, isUnknown ? "unknown field" : `${error.message}, not ${shown(error.value)}`);
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
