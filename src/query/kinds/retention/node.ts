import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { type BreakdownFilter, BreakdownSchema } from "../../insight/breakdowns.ts";
import { INSIGHT_FIELDS } from "../../insight/node.ts";
import { readSeries, type SeriesNode } from "../../insight/series.ts";
import { notSupported } from "../../shape/errors.ts";
import { anything, check, object, optional, shown } from "../../shape/shapes.ts";

const EntitySchema = object({
  /** The name of an event, the id of an action; absent for all events. */
  id: optional(Type.Union([Type.String(), Type.Number()])),
  type: optional(Type.String()),
  kind: optional(Type.String()),
  properties: anything,
  name: anything,
  custom_name: anything,
  order: anything,
  uuid: anything,
});

const choice = <T extends string>(...values: T[]) => optional(Type.Union(values.map((value) => Type.Literal(value))));

const RetentionFilterSchema = object({
  retentionType: choice("retention_recurring", "retention_first_time", "retention_first_ever_occurrence"),
  period: choice("Hour", "Day", "Week", "Month"),
  totalIntervals: optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  targetEntity: optional(EntitySchema),
  returningEntity: optional(EntitySchema),
  cumulative: optional(Type.Boolean()),
  minimumOccurrences: optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  timeWindowMode: choice("strict_calendar_dates", "24_hour_windows"),
  retentionCustomBrackets: optional(Type.Array(Type.Integer({ minimum: 1, maximum: 1000 }), { maxItems: 51 })),
  aggregationType: choice("count", "sum", "avg"),
  aggregationProperty: optional(Type.String()),
  aggregationPropertyType: choice("event", "person"),
  retentionReference: anything,
  meanRetentionCalculation: anything,
  display: anything,
  dashboardDisplay: anything,
  showTrendLines: anything,
  selectedInterval: anything,
  goalLines: anything,
  cohortLabelStartIndex: anything,
});

export const RetentionSchema = object({
  kind: Type.Literal("RetentionQuery"),
  ...INSIGHT_FIELDS,
  retentionFilter: RetentionFilterSchema,
  breakdownFilter: optional(BreakdownSchema),
});

export type RetentionFilter = Static<typeof RetentionFilterSchema>;
export type RetentionQuery = Omit<Static<typeof RetentionSchema>, "breakdownFilter"> & {
  breakdownFilter?: BreakdownFilter | null;
  /** What makes an actor part of a cohort, and what counts as coming back. */
  target: SeriesNode;
  returning: SeriesNode;
};

/** What an entity is where the node names none. */
const DEFAULT_ENTITY = { id: "$pageview", type: "events" };

/** A RetentionQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readRetention(node: JsonObject): RetentionQuery {
  const query = check(RetentionSchema, node, "");
  const { targetEntity, returningEntity } = query.retentionFilter;
  return {
    ...query,
    target: seriesOf(targetEntity ?? DEFAULT_ENTITY, "retentionFilter.targetEntity"),
    returning: seriesOf(returningEntity ?? DEFAULT_ENTITY, "retentionFilter.returningEntity"),
  };
}

const TYPES: ReadonlySet<string> = new Set(["events", "actions"]);
const KINDS: ReadonlySet<string> = new Set(["EventsNode", "ActionsNode"]);

/** An entity as a series of other insights. */
function seriesOf({ id, type, kind, properties }: Static<typeof EntitySchema>, place: string): SeriesNode {
  if (type != null && !TYPES.has(type)) throw notSupported(`${place}.type`, `an entity of type ${shown(type)}`);
  if (kind != null && !KINDS.has(kind)) throw notSupported(`${place}.kind`, shown(kind));
  const isAction = type === undefined || type === null ? kind === "ActionsNode" : type === "actions";
  const filters = (properties ?? null) as Json;
  if (isAction && id != null) return readSeries({ kind: "ActionsNode", id, properties: filters }, place);
  return readSeries({ kind: "EventsNode", event: id == null ? null : String(id), properties: filters }, place);
}
