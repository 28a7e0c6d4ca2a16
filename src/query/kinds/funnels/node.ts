import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { type BreakdownFilter, BreakdownSchema } from "../../insight/breakdowns.ts";
import { CompareSchema, INSIGHT_FIELDS } from "../../insight/node.ts";
import { readAllSeries, readSeries, type SeriesNode } from "../../insight/series.ts";
import { anything, asObject, check, object, optional } from "../../shape/shapes.ts";

const MAX_STEPS = 30;
const MAX_EXCLUSIONS = 30;
/** In months it is 8,000 years. */
const MAX_WINDOW = 100_000;

const oneOf = <T extends string>(...names: T[]) => Type.Union(names.map((name) => Type.Literal(name)));

const FunnelsFilterSchema = object({
  funnelVizType: optional(oneOf("steps", "time_to_convert", "trends")),
  funnelOrderType: optional(oneOf("ordered", "strict", "unordered")),
  funnelWindowInterval: optional(Type.Integer({ minimum: 1, maximum: MAX_WINDOW })),
  funnelWindowIntervalUnit: optional(oneOf("second", "minute", "hour", "day", "week", "month")),
  funnelFromStep: optional(Type.Integer()),
  funnelToStep: optional(Type.Integer()),
  exclusions: optional(Type.Array(Type.Any(), { maxItems: MAX_EXCLUSIONS })),
  breakdownAttributionType: optional(oneOf("first_touch", "last_touch", "all_events", "step")),
  breakdownAttributionValue: optional(Type.Integer()),
  funnelAggregateByHogQL: optional(Type.String()),
  binCount: optional(Type.Integer()),
  funnelStepReference: anything,
  layout: anything,
  hiddenLegendBreakdowns: anything,
  resultCustomizations: anything,
  resultCustomizationBy: anything,
  breakdownSorting: anything,
  goalLines: anything,
  showValuesOnSeries: anything,
  showTrendLines: anything,
  useUdf: anything,
});

export const FunnelsSchema = object({
  kind: Type.Literal("FunnelsQuery"),
  ...INSIGHT_FIELDS,
  series: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_STEPS }),
  interval: optional(Type.String()),
  funnelsFilter: optional(FunnelsFilterSchema),
  breakdownFilter: optional(BreakdownSchema),
  compareFilter: optional(CompareSchema),
});

const RangeSchema = Type.Object({ funnelFromStep: Type.Integer(), funnelToStep: Type.Integer() });

/** Events that end an attempt between two steps, counted from 0. */
export interface Exclusion {
  node: SeriesNode;
  from: number;
  to: number;
  place: string;
}

export type FunnelsFilter = Omit<Static<typeof FunnelsFilterSchema>, "exclusions">;
export type FunnelsQuery = Omit<Static<typeof FunnelsSchema>, "series" | "breakdownFilter" | "funnelsFilter"> & {
  series: SeriesNode[];
  funnelsFilter: FunnelsFilter;
  breakdownFilter?: BreakdownFilter | null;
  exclusions: Exclusion[];
};

/** A FunnelsQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readFunnels(node: JsonObject): FunnelsQuery {
  const checked = check(FunnelsSchema, node, "");
  const { exclusions, ...funnelsFilter } = checked.funnelsFilter ?? {};
  return {
    ...checked,
    series: readAllSeries(node),
    funnelsFilter,
    exclusions: (exclusions ?? []).map((json: Json, i) => readExclusion(json, `funnelsFilter.exclusions.${i}`)),
  };
}

/** A FunnelsQuery of which only the steps count: without a breakdown and a comparison. Errors: as of `readFunnels`. */
export function readSteps(node: JsonObject): FunnelsQuery {
  const { breakdownFilter: _, compareFilter: __, ...rest } = node;
  const read = readFunnels(rest);
  return { ...read, funnelsFilter: { ...read.funnelsFilter, funnelVizType: "steps" } };
}

/** Its parts that hold filters, in which there may be HogQL, too. */
export function filtersIn({ series, exclusions, properties, breakdownFilter, funnelsFilter }: FunnelsQuery): unknown[] {
  const aggregate = { type: "hogql", key: funnelsFilter.funnelAggregateByHogQL };
  return [series, exclusions, properties, breakdownFilter, aggregate];
}

function readExclusion(json: Json, place: string): Exclusion {
  const { funnelFromStep: from, funnelToStep: to } = check(RangeSchema, json, place);
  const { funnelFromStep: _from, funnelToStep: _to, ...node } = asObject(json, place);
  return { node: readSeries(node, place), from, to, place };
}
