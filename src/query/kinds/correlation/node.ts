import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { PART_FIELDS } from "../../insight/behind.ts";
import { inside, invalidQuery } from "../../shape/errors.ts";
import { anything, asObject, check, object, optional } from "../../shape/shapes.ts";
import { type FunnelsQuery, readSteps } from "../funnels/node.ts";

const MAX_NAMES = 1000;
const names = () => optional(Type.Array(Type.String(), { maxItems: MAX_NAMES }));

export const CorrelationSchema = object({
  kind: Type.Literal("FunnelCorrelationQuery"),
  source: Type.Record(Type.String(), Type.Unknown()),
  funnelCorrelationType: Type.Union([
    Type.Literal("events"),
    Type.Literal("properties"),
    Type.Literal("event_with_properties"),
  ]),
  funnelCorrelationNames: names(),
  funnelCorrelationExcludeNames: names(),
  funnelCorrelationExcludeEventNames: names(),
  funnelCorrelationEventNames: names(),
  funnelCorrelationEventExcludePropertyNames: names(),
  explain: optional(Type.Boolean()),
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

/** The actors of the funnel: all who began it. */
const SourceSchema = object({
  ...PART_FIELDS,
  kind: Type.Literal("FunnelsActorsQuery"),
  funnelStep: optional(Type.Literal(1)),
});

export type CorrelationQuery = Omit<Static<typeof CorrelationSchema>, "source"> & { funnel: FunnelsQuery };

/** Where the funnel stands. */
export const FUNNEL_PLACE = "source.source";

/** A FunnelCorrelationQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readCorrelation(node: JsonObject): CorrelationQuery {
  const { source, ...query } = check(CorrelationSchema, node, "");
  const { source: insight } = check(SourceSchema, source, "source");
  const funnel = asObject((insight ?? null) as Json, FUNNEL_PLACE);
  if (query.funnelCorrelationType === "properties" && !query.funnelCorrelationNames?.length) {
    throw invalidQuery("funnelCorrelationNames", "must name at least one property, or $all");
  }
  if (query.funnelCorrelationType === "event_with_properties" && !query.funnelCorrelationEventNames?.length) {
    throw invalidQuery("funnelCorrelationEventNames", "must name at least one event");
  }
  return { ...query, funnel: inside(FUNNEL_PLACE, () => readSteps(funnel)) };
}
