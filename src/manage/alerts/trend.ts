import { type Line, TREND_INTERVALS, type TrendInterval } from "../../alerts/mod.ts";
import type { AlertRule, Insight } from "../../metadata/mod.ts";
import { NULL_VALUE, OTHER_VALUE, ParsedQuery, type TrendsItem, withSource } from "../../query/mod.ts";
import { isJsonObject, type Json, type JsonObject, TerminalError } from "../../types/mod.ts";
import { nodeOfInsight } from "../insights/show.ts";

/** A trend that an alert can watch. */
export interface WatchedTrend {
  node: JsonObject;
  interval: TrendInterval;
  /** It shows a number for its whole range, or running sums of it. */
  isTotal: boolean;
  hasBreakdown: boolean;
  /** Series, or formulas where there are some. */
  seriesCount: number;
  /** A value is the average of so many intervals; 1 where it is not smoothed. */
  smoothedOver: number;
}

/** Displays of a number for the whole range. That of running sums is judged by its last one. */
const TOTALS: ReadonlySet<string> = new Set([
  "BoldNumber",
  "ActionsPie",
  "ActionsBarValue",
  "ActionsProgress",
  "ActionsTable",
  "WorldMap",
  "CalendarHeatmap",
  "ActionsLineGraphCumulative",
]);

/** Throws TerminalError `alert_rule` for an insight that is no trend. */
export function watchedTrend(insight: Pick<Insight, "query" | "filters">): WatchedTrend {
  const node = nodeOfInsight(insight);
  const source = node === null ? null : new ParsedQuery(node).source;
  if (node === null || source?.kind !== "TrendsQuery") {
    throw new TerminalError("alert_rule", "Alerts can only be made for trends.");
  }
  const interval = TREND_INTERVALS.find((one) => one === (source.interval ?? "day"));
  if (interval === undefined) throw new TerminalError("alert_rule", "The insight has an interval that is not known.");
  const { trendsFilter, breakdownFilter } = source;
  const display = isJsonObject(trendsFilter) ? String(trendsFilter.display) : "";
  const breakdown = isJsonObject(breakdownFilter) ? (breakdownFilter.breakdown ?? breakdownFilter.breakdowns) : null;
  const smoothing = isJsonObject(trendsFilter) ? Number(trendsFilter.smoothingIntervals ?? 1) : 1;
  const written = linesWritten(source.series, isJsonObject(trendsFilter) ? trendsFilter : {});
  const seriesCount = display === "CalendarHeatmap" ? 1 : written;
  return {
    ...{ node, interval, isTotal: TOTALS.has(display), hasBreakdown: (breakdown ?? null) !== null, seriesCount },
    smoothedOver: Math.max(1, smoothing),
  };
}

/** How many numbers of series an answer has: those of its formulas, the last form of which counts, else of its series. */
function linesWritten(series: Json | undefined, { formula, formulas, formulaNodes }: JsonObject): number {
  const written = [formulaNodes, formulas, typeof formula === "string" && formula !== "" ? [formula] : null, series];
  return written.find((one): one is Json[] => Array.isArray(one) && one.length > 0)?.length ?? 0;
}

/** The node as an alert asks it: over the intervals it needs, and nothing to compare with. Totals keep their range. */
export function askedNode({ node, isTotal }: WatchedTrend, dateFrom: string): JsonObject {
  const dates: JsonObject = isTotal ? {} : { dateRange: { date_from: dateFrom, date_to: null } };
  return withSource(node, (source) => ({ ...source, ...dates, compareFilter: null }));
}

/** The lines of one series. Throws TerminalError `alert_rule` where there is no such series. */
export function linesOf(
  items: readonly TrendsItem[],
  trend: WatchedTrend,
  { config }: Pick<AlertRule, "config">,
): Line[] {
  const own = items.filter(({ order }) => order === config.seriesIndex);
  if (own.length === 0 && !trend.hasBreakdown) {
    throw new TerminalError("alert_rule", `The insight has no series with the number ${config.seriesIndex}.`);
  }
  return own.map(({ label, data, count, aggregated_value: total, breakdown_value: value }) => ({
    label: shortened(withValue(label, value)),
    values: trend.isTotal ? null : data,
    total: total ?? count,
  }));
}

/** The name of a line, with its value of a breakdown as people call it. */
function withValue(label: string, value: TrendsItem["breakdown_value"]): string {
  const isNamed = value === undefined || label.includes(String(value));
  const text = isNamed ? label : `${label} - ${String(value)}`;
  return text.replaceAll(NULL_VALUE, "None").replaceAll(OTHER_VALUE, "Other");
}

const LABEL_MAX = 200;

const shortened = (label: string): string => {
  const characters = [...label];
  return characters.length > LABEL_MAX ? `${characters.slice(0, LABEL_MAX).join("")}…` : label;
};
