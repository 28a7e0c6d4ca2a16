import { isJsonObject, type Json, type JsonObject } from "../../../types/mod.ts";
import { breakdownMember, commonMembers, intervalMember, part, renamed, same, seriesOf } from "../../insight/legacy.ts";
import type { Kind } from "../kind.ts";
import { list } from "../table.ts";

const FUNNELS = {
  ...same("layout"),
  funnel_viz_type: "funnelVizType",
  funnel_order_type: "funnelOrderType",
  funnel_from_step: "funnelFromStep",
  funnel_to_step: "funnelToStep",
  funnel_window_days: "funnelWindowInterval",
  funnel_window_interval: "funnelWindowInterval",
  funnel_window_interval_unit: "funnelWindowIntervalUnit",
  funnel_step_reference: "funnelStepReference",
  breakdown_attribution_type: "breakdownAttributionType",
  breakdown_attribution_value: "breakdownAttributionValue",
  bin_count: "binCount",
  funnel_aggregate_by_hogql: "funnelAggregateByHogQL",
};

/** Members that ask a step for more than an event. */
const MATHS = /^math/;

/** How funnels were written before there were query nodes. */
export const LEGACY = {
  names: ["FUNNELS"],
  nodeOf: (filters: JsonObject): JsonObject => ({
    kind: "FunnelsQuery",
    series: seriesOf(filters).map(stepOf),
    ...commonMembers(filters),
    ...intervalMember(filters),
    ...part("funnelsFilter", funnelMembers(filters)),
    ...breakdownMember(filters),
  }),
} satisfies Kind["legacy"];

/** Old funnels count actors, whatever math a step has; but for its first time. */
function stepOf(node: JsonObject): JsonObject {
  if (typeof node.math === "string" && node.math.startsWith("first_time_for_user")) return node;
  return Object.fromEntries(Object.entries(node).filter(([name]) => !MATHS.test(name)));
}

function funnelMembers(filters: JsonObject): JsonObject {
  const members = renamed(filters, FUNNELS);
  const isLine = members.funnelVizType === undefined && filters.display === "ActionsLineGraph";
  const isInDays = filters.funnel_window_days != null && filters.funnel_window_interval == null;
  const exclusions = list(filters.exclusions).filter(isJsonObject).map(exclusionOf);
  return {
    ...members,
    // `auto` is what there is without it.
    ...(typeof members.binCount === "string" && { binCount: Number(members.binCount) || null }),
    ...(isLine && { funnelVizType: "trends" }),
    ...(isInDays && { funnelWindowIntervalUnit: "day" }),
    ...(exclusions.length > 0 && { exclusions }),
  };
}

function exclusionOf({ id = null, type, name, custom_name, properties, ...rest }: JsonObject): JsonObject {
  const node: JsonObject =
    type === "actions" ? { kind: "ActionsNode", id: Number(id) } : { kind: "EventsNode", event: id };
  const given = Object.entries({ name, custom_name, properties }).filter(([, value]) => value != null);
  return {
    ...node,
    ...(Object.fromEntries(given) as Record<string, Json>),
    funnelFromStep: rest.funnel_from_step ?? null,
    funnelToStep: rest.funnel_to_step ?? null,
  };
}
