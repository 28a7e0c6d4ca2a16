import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { type BreakdownFilter, BreakdownSchema } from "../../insight/breakdowns.ts";
import { CompareSchema, INSIGHT_FIELDS } from "../../insight/node.ts";
import { readAllSeries, type SeriesNode } from "../../insight/series.ts";
import { anything, check, object, optional } from "../../shape/shapes.ts";

const FormulaNodeSchema = Type.Object({ formula: Type.String(), custom_name: optional(Type.String()) });

/** What of the chart changes the numbers; all else is for the eye. */
const TrendsFilterSchema = Type.Object({
  display: optional(Type.String()),
  smoothingIntervals: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  formula: optional(Type.String()),
  formulas: optional(Type.Array(Type.String(), { maxItems: 100 })),
  formulaNodes: optional(Type.Array(FormulaNodeSchema, { maxItems: 100 })),
});

export const TrendsSchema = object({
  kind: Type.Literal("TrendsQuery"),
  ...INSIGHT_FIELDS,
  series: Type.Array(Type.Unknown(), { maxItems: 100 }),
  interval: optional(Type.String()),
  trendsFilter: optional(TrendsFilterSchema),
  breakdownFilter: optional(BreakdownSchema),
  compareFilter: optional(CompareSchema),
  conversionGoal: anything,
});

export type TrendsFilter = Static<typeof TrendsFilterSchema>;
export type TrendsQuery = Omit<Static<typeof TrendsSchema>, "series" | "breakdownFilter"> & {
  series: SeriesNode[];
  breakdownFilter?: BreakdownFilter | null;
};

/** A TrendsQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readTrends(node: JsonObject): TrendsQuery {
  return { ...check(TrendsSchema, node, ""), series: readAllSeries(node) };
}
