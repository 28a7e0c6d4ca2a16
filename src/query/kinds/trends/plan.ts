import { bucketCount, checkCells, type Period } from "../../insight/axis.ts";
import { ALL_USERS, cohortName, readBreakdown } from "../../insight/breakdowns.ts";
import { type Insight, insightOf } from "../../insight/insight.ts";
import type { Series, Line as SeriesLine } from "../../insight/lines.ts";
import { readMath } from "../../insight/math.ts";
import { intervalOf, periodsOf } from "../../insight/ranges.ts";
import { exists, nameOf } from "../../insight/series.ts";
import { notSupported } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import type { Interval } from "../../time/dates.ts";
import { type Formula, parseFormula } from "./formula.ts";
import type { TrendsFilter, TrendsQuery } from "./node.ts";

/** How the answer is drawn, as far as it changes the numbers. */
export type Shape = "series" | "cumulative" | "total";

const SHAPES: Record<string, Shape> = {
  ActionsLineGraph: "series",
  ActionsBar: "series",
  ActionsUnstackedBar: "series",
  ActionsAreaGraph: "series",
  ActionsStackedBar: "series",
  ActionsLineGraphCumulative: "cumulative",
  BoldNumber: "total",
  ActionsPie: "total",
  ActionsBarValue: "total",
  ActionsTable: "total",
  WorldMap: "total",
  CalendarHeatmap: "total",
  ActionsProgress: "total",
};

const DEFAULT_LIMIT = 25;
/** There are not many more countries. */
const WORLD_MAP_LIMIT = 250;

export interface SeriesPlan extends Series {
  /** Its place among those asked for: the letter of a formula. */
  order: number;
  /** Null for all events. */
  name: string | null;
}

export interface Line extends SeriesLine {
  series: SeriesPlan;
}

export interface FormulaPlan {
  formula: Formula;
  label: string;
}

/** What a TrendsQuery asks, with every option resolved. */
export interface TrendsPlan extends Insight {
  query: TrendsQuery;
  interval: Interval;
  shape: Shape;
  /** The current one, and the one that it is compared with. */
  periods: Period[];
  /** Values of a breakdown that are told apart; the others are one more. */
  breakdownLimit: number;
  formulas: FormulaPlan[];
  /** In the order of the answer. */
  lines: Line[];
}

function shapeOf(display: string): Shape {
  const shape = Object.hasOwn(SHAPES, display) ? SHAPES[display] : undefined;
  if (shape === undefined) throw notSupported("trendsFilter.display", `the display "${display}"`);
  return shape;
}

const displayOf = (query: TrendsQuery): string => query.trendsFilter?.display ?? "ActionsLineGraph";

/** The last form that is given counts. */
function formulasOf(filter: TrendsFilter | null | undefined, seriesCount: number): FormulaPlan[] {
  const plan = (text: string, place: string, label?: string | null): FormulaPlan => ({
    formula: parseFormula(text, seriesCount, `trendsFilter.${place}`),
    label: label || `Formula (${text})`,
  });
  const { formula, formulas = [], formulaNodes = [] } = filter ?? {};
  if (formulaNodes?.length) {
    return formulaNodes.map((node, i) => plan(node.formula, `formulaNodes.${i}.formula`, node.custom_name));
  }
  if (formulas?.length) return formulas.map((text, i) => plan(text, `formulas.${i}`));
  return formula ? [plan(formula, "formula")] : [];
}

/** Whether the range is taken to the second. */
export const isExact = (query: TrendsQuery): boolean => displayOf(query) === "BoldNumber";

/** Resolves a node. Errors: TerminalError `invalid_query` that names the option. */
export function planTrends(query: TrendsQuery, context: QueryContext, earliestMs: number | null): TrendsPlan {
  if (query.conversionGoal != null) throw notSupported("conversionGoal", "a conversion goal");
  const interval = intervalOf(query);
  const shape = shapeOf(displayOf(query));
  const isTotal = shape === "total";
  const periods = periodsOf(query, context, { earliestMs, exact: isExact(query), isTotal });
  const series = query.series.map((node, order): SeriesPlan => {
    const place = `series.${order}`;
    const math = readMath(node, isTotal ? null : interval, place);
    return { node, order, name: nameOf(node, context), math, place };
  });
  const breakdown = readBreakdown(query.breakdownFilter);
  const insight = insightOf(query, context, { breakdown, isRunning: shape === "cumulative" });
  const plan = { ...insight, query, interval, shape, periods };
  const isMap = displayOf(query) === "WorldMap";
  const lines = linesOf(
    plan,
    series.filter(({ node }) => exists(node, context)),
  );
  // With a breakdown there may be fewer: those are counted when they are known.
  if (breakdown === null) checkCells(lines.reduce((sum, { period }) => sum + bucketCount(period), 0));
  return {
    ...plan,
    breakdownLimit: query.breakdownFilter?.breakdown_limit ?? (isMap ? WORLD_MAP_LIMIT : DEFAULT_LIMIT),
    formulas: formulasOf(query.trendsFilter, series.length),
    lines,
  };
}

function linesOf(
  { periods, breakdown, context }: Pick<TrendsPlan, "periods" | "breakdown" | "context">,
  all: SeriesPlan[],
): Line[] {
  if (breakdown?.kind !== "cohorts") {
    return periods.flatMap((period) => all.map((series) => ({ series, period, cohort: null })));
  }
  const cohorts = breakdown.ids.map((id) => ({ id, name: cohortName(id, context, breakdown.place) }));
  return periods.flatMap((period) =>
    breakdown.ids.includes(ALL_USERS)
      ? cohorts.flatMap((cohort) => all.map((series) => ({ series, period, cohort })))
      : all.flatMap((series) => cohorts.map((cohort) => ({ series, period, cohort }))),
  );
}
