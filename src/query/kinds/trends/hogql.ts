import { alias, and, call, compare, constant, field } from "../../hogql/syntax/build.ts";
import { printQuery } from "../../hogql/syntax/print.ts";
import type { Expression, Select } from "../../hogql/syntax/tree.ts";
import { bucketCount } from "../../insight/axis.ts";
import { eventsOf, insightFilters } from "../../insight/insight.ts";
import { seriesConditions } from "../../insight/rows.ts";
import { TRUE } from "../../sql/sql.ts";
import type { Line, TrendsPlan } from "./plan.ts";

/**
 * HogQL that gives the numbers of a trend, a SELECT a series: null where it would have to say more than which events are
 * counted, or whose, in which buckets.
 */
export function hogqlOf(plan: TrendsPlan): string | null {
  const selects = isPlain(plan) ? plan.lines.map((line) => selectOf(line, plan)) : [];
  const known = selects.filter((select) => select !== null);
  const [first, ...rest] = known;
  if (first === undefined || known.length < plan.lines.length) return null;
  if (rest.length === 0) return printQuery(first);
  const subsequent = rest.map((select) => ({ select_query: select, set_operator: "UNION ALL" }));
  return printQuery({ node: "SelectSetQuery", initial_select_query: first, subsequent_select_queries: subsequent });
}

/** Whether the numbers are those of the rows, of one period, as they are. */
function isPlain({ query, shape, periods, breakdown, formulas }: TrendsPlan): boolean {
  const isAsCounted = formulas.length === 0 && (query.trendsFilter?.smoothingIntervals ?? 1) === 1;
  const isWhole = (query.samplingFactor ?? 1) === 1 && query.aggregation_group_type_index == null;
  return shape !== "cumulative" && periods.length === 1 && breakdown === null && isAsCounted && isWhole;
}

function selectOf({ series, period }: Line, plan: TrendsPlan): Select | null {
  const { node, math } = series;
  const value = math.kind === "count" ? call("count") : math.kind === "actors" ? actors(plan) : null;
  if (value === null || node.kind !== "EventsNode" || isFiltered(plan, series)) return null;
  const conditions = [
    compare(field("timestamp"), ">=", call("fromUnixTimestamp64Milli", constant(period.fromMs))),
    compare(field("timestamp"), "<=", call("fromUnixTimestamp64Milli", constant(period.toMs))),
  ];
  if (node.event != null) conditions.unshift(compare(field("event"), "==", constant(node.event)));
  const bucket = call(START_OF[plan.interval], field("timestamp"));
  const isTotal = period.buckets === null;
  return {
    node: "SelectQuery",
    select: [...(isTotal ? [] : [alias("bucket", bucket)]), alias("value", value)],
    select_from: { node: "JoinExpr", table: field("events") },
    where: and(conditions),
    ...(!isTotal && { group_by: [field("bucket")], limit: constant(bucketCount(period)) }),
  };
}

function isFiltered(plan: TrendsPlan, series: Line["series"]): boolean {
  const events = eventsOf(plan);
  return insightFilters(plan, events) !== TRUE || seriesConditions(plan, series, events).filters !== TRUE;
}

const START_OF: Record<TrendsPlan["interval"], string> = {
  second: "toStartOfSecond",
  minute: "toStartOfMinute",
  hour: "toStartOfHour",
  day: "toStartOfDay",
  week: "toStartOfWeek",
  month: "toStartOfMonth",
  quarter: "toStartOfQuarter",
  year: "toStartOfYear",
};

const actors = ({ context }: TrendsPlan): Expression => ({
  node: "Call",
  name: "count",
  distinct: true,
  args: [field(context.aggregateByDistinctId ? "distinct_id" : "person_id")],
});
