import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../../types/mod.ts";
import { matchesAction } from "../filter/actions.ts";
import { filterCondition } from "../filter/filters.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { anything, asObject, check, object, optional, shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import type { EventsTable } from "../source/events.ts";
import { allOf, isOneOf, type Sql, TRUE } from "../sql/sql.ts";

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
export function entityCondition(node: SeriesNode, events: EventsTable, context: QueryContext, place: string): Sql {
  if (node.kind === "EventsNode") return node.event == null ? TRUE : isOneOf(events.column("event"), [node.event]);
  const action = context.records.action(Number(node.id));
  if (action === null) throw invalidQuery(`${place}.id`, `there is no action ${shown(node.id)}`);
  return matchesAction(action, events, context, place);
}

/** The series' own filters. Errors: TerminalError `invalid_query`. */
export function ownFilters(node: SeriesNode, events: EventsTable, context: QueryContext, place: string): Sql {
  const lists = [
    filterCondition(node.fixedProperties, events, context, `${place}.fixedProperties`),
    filterCondition(node.properties, events, context, `${place}.properties`),
  ];
  return allOf(lists);
}

/** The condition that an event's name is one that some series asks for: rows of others need not be read. */
export function namesOf(nodes: readonly SeriesNode[], events: EventsTable): Sql {
  const names = nodes.map((node) => (node.kind === "EventsNode" ? (node.event ?? null) : null));
  const known = names.filter((name) => name !== null);
  return known.length === names.length && known.length > 0
    ? isOneOf(events.column("event"), [...new Set(known)])
    : TRUE;
}
