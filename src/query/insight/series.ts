import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../types/mod.ts";
import { call, compare, constant, field } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { anything, asObject, check, object, optional, shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";

const COMMON = {
  name: optional(Type.String()),
  custom_name: optional(Type.String()),
  properties: anything,
  fixedProperties: anything,
  math: optional(Type.String()),
  math_multiplier: optional(Type.Number()),
  math_property: optional(Type.String()),
  math_property_type: optional(Type.String()),
  math_property_revenue_currency: anything,
  math_hogql: optional(Type.String()),
  math_group_type_index: optional(Type.Number()),
  optionalInFunnel: anything,
  version: anything,
  response: anything,
};

const EventsSchema = object({
  kind: Type.Literal("EventsNode"),
  event: optional(Type.String()),
  limit: anything,
  orderBy: anything,
  ...COMMON,
});

const ActionsSchema = object({
  kind: Type.Literal("ActionsNode"),
  id: Type.Union([Type.Number(), Type.String()]),
  ...COMMON,
});

export type EventsNode = Static<typeof EventsSchema>;
export type ActionsNode = Static<typeof ActionsSchema>;
/** What an insight counts: events of a name, all events, or those that match an action. */
export type SeriesNode = EventsNode | ActionsNode;

/** Kinds of PostHog's whose data Weir does not have. */
const ELSEWHERE = new Set(["DataWarehouseNode", "GroupNode"]);

/** The shapes of a series, for the API document. */
export const SERIES_SCHEMAS = { EventsNode: EventsSchema, ActionsNode: ActionsSchema };

/** A series' shape. Errors: TerminalError `invalid_query` that names the place. */
export function readSeries(json: Json, place: string): SeriesNode {
  const { kind } = asObject(json, place);
  if (typeof kind === "string" && ELSEWHERE.has(kind)) throw notSupported(`${place}.kind`, kind);
  return kind === "ActionsNode" ? check(ActionsSchema, json, place) : check(EventsSchema, json, place);
}

/** The `series` of a node. Errors: as of `readSeries`. */
export function readAllSeries(node: JsonObject): SeriesNode[] {
  const { series } = check(Type.Object({ series: Type.Array(Type.Any()) }), node, "");
  return series.map((item, i) => readSeries(item, `series.${i}`));
}

/** The name of the event or the action; null for all events. */
export function nameOf(node: SeriesNode, context: QueryContext): string | null {
  if (node.kind === "EventsNode") return node.event ?? null;
  return context.records.action(Number(node.id))?.name ?? String(node.id);
}

/** Whether there is anything that the series could count: an action may have been deleted. */
export function exists(node: SeriesNode, context: QueryContext): boolean {
  return node.kind === "EventsNode" || context.records.action(Number(node.id)) !== null;
}

/** Which events are meant, whatever is asked of their properties. Errors: TerminalError `invalid_query`. */
export function entityConditions(node: SeriesNode, context: QueryContext, place: string): Expression[] {
  if (node.kind === "EventsNode")
    return node.event == null ? [] : [compare(field("event"), "==", constant(node.event))];
  const action = context.records.action(Number(node.id));
  if (action === null) throw invalidQuery(`${place}.id`, `there is no action ${shown(node.id)}`);
  return [call("matchesAction", constant(action.id))];
}

/** The condition that an event's name is one that some series asks for, since rows of others need not be read; none where any is. */
export function namesOf(nodes: readonly SeriesNode[]): Expression[] {
  const names = nodes.map((node) => (node.kind === "EventsNode" ? (node.event ?? null) : null));
  const known = [...new Set(names.filter((name) => name !== null))];
  if (names.includes(null) || known.length === 0) return [];
  return [compare(field("event"), "in", { node: "Tuple", exprs: known.map(constant) })];
}
