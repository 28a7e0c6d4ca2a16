import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../types/mod.ts";
import { filtersOf } from "../filter/filters.ts";
import { and, call, compare, constant, field } from "../hogql/syntax/build.ts";
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

const GroupSchema = object({
  kind: Type.Literal("GroupNode"),
  operator: optional(Type.Union([Type.Literal("OR"), Type.Literal("AND")])),
  nodes: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 50 }),
  limit: anything,
  orderBy: anything,
  ...COMMON,
});

export type EventsNode = Static<typeof EventsSchema>;
export type ActionsNode = Static<typeof ActionsSchema>;
/** Events that fit any of its nodes, or with `AND` each of them. */
export type GroupNode = Omit<Static<typeof GroupSchema>, "nodes"> & { nodes: (EventsNode | ActionsNode)[] };
/** What an insight counts: events of a name, all events, those that match an action, or several of these together. */
export type SeriesNode = EventsNode | ActionsNode | GroupNode;

/** Kinds of PostHog's whose data Weir does not have. */
const ELSEWHERE = new Set(["DataWarehouseNode"]);

/** The shapes of a series, for the API document. */
export const SERIES_SCHEMAS = { EventsNode: EventsSchema, ActionsNode: ActionsSchema, GroupNode: GroupSchema };

/** A series' shape. Errors: TerminalError `invalid_query` that names the place. */
export function readSeries(json: Json, place: string): SeriesNode {
  if (asObject(json, place).kind !== "GroupNode") return readOne(json, place);
  const { nodes, ...group } = check(GroupSchema, json, place);
  return { ...group, nodes: nodes.map((node, i) => readOne(node as Json, `${place}.nodes.${i}`)) };
}

function readOne(json: Json, place: string): EventsNode | ActionsNode {
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
  if (node.kind === "ActionsNode") return context.records.action(Number(node.id))?.name ?? String(node.id);
  return node.name || node.nodes.map((one) => nameOf(one, context) ?? "All events").join(", ");
}

/** Whether there is anything that the series could count: an action may have been deleted. */
export function exists(node: SeriesNode, context: QueryContext): boolean {
  if (node.kind === "GroupNode") return node.nodes.every((one) => exists(one, context));
  return node.kind === "EventsNode" || context.records.action(Number(node.id)) !== null;
}

/** Whether two nodes mean the same events, whatever they ask of their properties. */
export function sameEntity(a: SeriesNode, b: SeriesNode): boolean {
  if (a.kind === "EventsNode") return b.kind === "EventsNode" && (a.event ?? null) === (b.event ?? null);
  if (a.kind === "ActionsNode") return b.kind === "ActionsNode" && Number(a.id) === Number(b.id);
  return b.kind === "GroupNode" && JSON.stringify([a.operator, a.nodes]) === JSON.stringify([b.operator, b.nodes]);
}

/** Which events are meant, whatever is asked of their properties. Errors: TerminalError `invalid_query`. */
export function entityConditions(node: SeriesNode, context: QueryContext, place: string): Expression[] {
  if (node.kind === "GroupNode") return groupConditions(node, context, place);
  if (node.kind === "EventsNode")
    return node.event == null ? [] : [compare(field("event"), "==", constant(node.event))];
  const action = context.records.action(Number(node.id));
  if (action === null) throw invalidQuery(`${place}.id`, `there is no action ${shown(node.id)}`);
  return [call("matchesAction", constant(action.id))];
}

/** What filters of a node ask besides. */
export function nodeFilters(node: SeriesNode, context: QueryContext, place: string): Expression[] {
  return [
    ...filtersOf(node.fixedProperties, context, `${place}.fixedProperties`),
    ...filtersOf(node.properties, context, `${place}.properties`),
  ];
}

function groupConditions({ nodes, operator }: GroupNode, context: QueryContext, place: string): Expression[] {
  const each = nodes.map((node, i) => {
    const own = `${place}.nodes.${i}`;
    return [...entityConditions(node, context, own), ...nodeFilters(node, context, own)];
  });
  if (operator === "AND") return each.flat();
  return anyOf(each);
}

/** The condition that all of some list hold; none where one is empty. */
export function anyOf(conditions: readonly Expression[][]): Expression[] {
  const any = conditions.map(and).filter((condition) => condition !== null);
  if (any.length < conditions.length) return [];
  return any.length === 1 ? any : [{ node: "Or", exprs: any }];
}

/** The condition that an event's name is one that some series asks for, since rows of others need not be read; none where any is. */
export function namesOf(nodes: readonly SeriesNode[]): Expression[] {
  const each = nodes.flatMap((node) => (node.kind === "GroupNode" ? node.nodes : [node]));
  const names = each.map((node) => (node.kind === "EventsNode" ? (node.event ?? null) : null));
  const known = [...new Set(names.filter((name) => name !== null))];
  if (names.includes(null) || known.length === 0) return [];
  return [compare(field("event"), "in", { node: "Tuple", exprs: known.map(constant) })];
}
