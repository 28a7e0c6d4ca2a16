import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { PART_FIELDS } from "../../insight/behind.ts";
import { CompareSchema, INSIGHT_FIELDS } from "../../insight/node.ts";
import { readAllSeries, type SeriesNode } from "../../insight/series.ts";
import { check, checkPart, object, optional } from "../../shape/shapes.ts";

/** Comparisons of HogQL by the names that they have in nodes. */
export const OPERATORS = { gte: ">=", lte: "<=", exact: "==" } as const;

const OperatorSchema = Type.Union([Type.Literal("gte"), Type.Literal("lte"), Type.Literal("exact")]);
export type Operator = Static<typeof OperatorSchema>;

/** What of the chart changes the numbers; all else is for the eye. */
const StickinessFilterSchema = Type.Object({
  /** How many events of an interval make an actor active in it; one or more where absent. */
  stickinessCriteria: optional(
    object({ operator: OperatorSchema, value: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }) }),
  ),
  computedAs: optional(Type.Union([Type.Literal("cumulative"), Type.Literal("non_cumulative")])),
});

export const StickinessSchema = object({
  kind: Type.Literal("StickinessQuery"),
  ...INSIGHT_FIELDS,
  series: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 100 }),
  interval: optional(Type.String()),
  intervalCount: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  stickinessFilter: optional(StickinessFilterSchema),
  compareFilter: optional(CompareSchema),
});

export type StickinessQuery = Omit<Static<typeof StickinessSchema>, "series"> & { series: SeriesNode[] };

/** A StickinessQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readStickiness(node: JsonObject): StickinessQuery {
  return { ...check(StickinessSchema, node, ""), series: readAllSeries(node) };
}

const PartSchema = object({
  ...PART_FIELDS,
  kind: Type.Union([Type.Literal("StickinessActorsQuery"), Type.Literal("InsightActorsQuery")]),
  /** A number of intervals; any where it is absent. */
  day: optional(Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: "^\\d{1,9}$" })])),
  operator: optional(OperatorSchema),
  series: optional(Type.Integer({ minimum: 0 })),
  compare: optional(Type.Union([Type.Literal("current"), Type.Literal("previous")])),
});

/** A bar: of a series (the first) in a period (the current one). */
export interface StickinessPart {
  intervals: number | null;
  operator: Operator | null;
  series: number;
  period: "current" | "previous";
}

/** Whose actors are asked for. Errors: TerminalError `invalid_query` that names the place. */
export function readPart(node: JsonObject): StickinessPart {
  const { day = null, operator = null, series, compare } = checkPart(PartSchema, node);
  return {
    intervals: day === null ? null : Number(day),
    operator,
    series: series ?? 0,
    period: compare ?? "current",
  };
}
