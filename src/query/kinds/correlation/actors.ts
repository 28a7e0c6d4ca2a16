import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { filtersOf } from "../../filter/filters.ts";
import { checkCondition } from "../../hogql/embedding.ts";
import { alias, and, compare, constant, field, from, not, select } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { nodeFilters, readSeries } from "../../insight/series.ts";
import { invalidPart, invalidQuery, ofPart } from "../../shape/errors.ts";
import { anything, checkPart, object, optional } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import type { FunnelPlan } from "../funnels/plan.ts";
import { plannedFunnels } from "../funnels/run.ts";
import type { ActorRows } from "../kind.ts";
import { both } from "../overrides.ts";
import { type CorrelationQuery, FUNNEL_PLACE } from "./node.ts";
import { attempts, checkActors, happened, IS_DONE, inAttempts } from "./tree.ts";

const PartSchema = object({
  kind: Type.Literal("FunnelCorrelationActorsQuery"),
  source: anything,
  funnelCorrelationPersonConverted: optional(Type.Boolean()),
  funnelCorrelationPersonEntity: optional(Type.Record(Type.String(), Type.Unknown())),
  funnelCorrelationPropertyValues: optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 100 })),
  includeRecordings: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

type Part = Static<typeof PartSchema>;

const ENTITY = "funnelCorrelationPersonEntity";
const VALUES = "funnelCorrelationPropertyValues";

/**
 * The actors who did the event that a correlation tells of, or have the properties: those who came to the end of the funnel, those who
 * did not, or both. Errors: `InvalidPart`, and as of `runFunnels`.
 */
export async function behindCorrelation(
  query: CorrelationQuery,
  json: JsonObject,
  context: QueryContext,
): Promise<ActorRows> {
  const part = checkPart(PartSchema, json);
  const converted = part.funnelCorrelationPersonConverted ?? null;
  const isDone = converted === null ? [] : [converted ? IS_DONE : not(IS_DONE)];
  const areProperties = query.funnelCorrelationType === "properties";
  const funnel = areProperties ? withValues(query, part, context) : query.funnel;
  const plan = await plannedFunnels(funnel, context, FUNNEL_PLACE);
  return {
    query: areProperties ? ofAttempts(plan, isDone) : didEvent(plan, part, isDone),
    group: plan.aggregate === null ? plan.actorGroup : null,
    columns: [],
  };
}

/** The funnel of those who have the properties: all events of an actor pass their filters, or none does. */
function withValues({ funnel }: CorrelationQuery, part: Part, context: QueryContext): CorrelationQuery["funnel"] {
  const values = (part.funnelCorrelationPropertyValues ?? []) as JsonObject[];
  if (values.length === 0) throw invalidPart(VALUES, "must name at least one property");
  const filters = values.map(orMissing);
  ofPart(() => {
    for (const condition of filtersOf(values, context, VALUES)) checkCondition(condition, context);
  });
  return { ...funnel, properties: both(funnel.properties as Json | undefined, filters) };
}

/** A correlation tells a missing property as an empty one. */
function orMissing(filter: JsonObject): JsonObject {
  const { operator, value } = filter;
  const isEmpty = (operator ?? "exact") === "exact" && [value ?? null].flat().includes("");
  return isEmpty ? { type: "OR", values: [filter, { ...filter, operator: "is_not_set" }] } : filter;
}

function ofAttempts(plan: FunnelPlan, isDone: Expression[]): Query {
  checkActors(plan);
  const rows = from(attempts(plan, true), "actors");
  return select([ACTOR_ID], { select_from: rows, where: and(isDone) });
}

const ACTOR_ID = alias("actor_id", field("actors", "actor"));

/** Those who did the event between the first step and the last one, or the end of the window. */
function didEvent(plan: FunnelPlan, part: Part, isDone: Expression[]): Query {
  const conditions = ofPart(() => {
    if (part.funnelCorrelationPersonEntity == null) throw invalidQuery(ENTITY, "is missing");
    const node = readSeries(part.funnelCorrelationPersonEntity as JsonObject, ENTITY);
    if (node.kind !== "EventsNode" || node.event == null)
      throw invalidQuery(ENTITY, "must be an EventsNode with an event");
    const filters = nodeFilters(node, plan.context, ENTITY);
    for (const filter of filters) checkCondition(filter, plan.context);
    return [compare(field("events", "event"), "==", constant(node.event)), ...filters];
  });
  const rows = happened(plan, { columns: [], conditions, isNamed: true });
  return inAttempts(plan, rows, { columns: [ACTOR_ID], conditions: isDone, isNamed: true });
}
