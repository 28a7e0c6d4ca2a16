import { type Buckets, bucketsOf } from "../buckets.ts";
import type { QueryContext } from "../context.ts";
import { type Calendar, type DateRange, firstInstant, type Interval, resolveDateRange } from "../dates.ts";
import { notSupported } from "../errors.ts";
import { EventsTable } from "../events.ts";
import { filterCondition } from "../filters.ts";
import type { EventsNode, TrendsQuery } from "../nodes.ts";
import { allOf, isOneOf, type Sql, TRUE } from "../sql.ts";
import { mathOf, type SeriesMath } from "./math.ts";

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
};

export interface SeriesPlan {
  node: EventsNode;
  /** Name of the event and the series' own filters. */
  condition: Sql;
  math: SeriesMath;
}

/** What a TrendsQuery asks, with every option resolved. */
export interface TrendsPlan {
  query: TrendsQuery;
  /** The rows that all conditions and maths read. */
  events: EventsTable;
  interval: Interval;
  shape: Shape;
  range: DateRange;
  fromMs: number;
  toMs: number;
  /** The time axis; null for a total. */
  buckets: Buckets | null;
  /** Filters of the whole query. */
  condition: Sql;
  series: SeriesPlan[];
}

const isPresent = (value: unknown): boolean =>
  value != null && value !== "" && !(Array.isArray(value) && value.length === 0);

/** Refuses by name what would change the answer and is not calculated. */
function refuseUnsupported(query: TrendsQuery): void {
  for (const option of ["formula", "formulas", "formulaNodes"]) {
    if (isPresent(query.trendsFilter?.[option])) throw notSupported(`trendsFilter.${option}`, "a formula");
  }
  const smoothing = query.trendsFilter?.smoothingIntervals;
  if (smoothing != null && smoothing !== 1) throw notSupported("trendsFilter.smoothingIntervals", "smoothing");
  const breakdown = query.breakdownFilter;
  if (isPresent(breakdown?.breakdown) || isPresent(breakdown?.breakdowns)) {
    throw notSupported("breakdownFilter", "a breakdown");
  }
  if (query.compareFilter?.compare === true) throw notSupported("compareFilter", "comparing with an earlier period");
  if (query.samplingFactor != null && query.samplingFactor !== 1) throw notSupported("samplingFactor", "sampling");
  if (query.aggregation_group_type_index != null) {
    throw notSupported("aggregation_group_type_index", "aggregating by groups");
  }
  if (query.conversionGoal != null) throw notSupported("conversionGoal", "a conversion goal");
}

function intervalOf(query: TrendsQuery): Interval {
  const interval = query.interval ?? "day";
  if (interval === "hour" || interval === "day" || interval === "week" || interval === "month") return interval;
  throw notSupported("interval", `the interval "${interval}"`);
}

function shapeOf(query: TrendsQuery): Shape {
  const display = query.trendsFilter?.display ?? "ActionsLineGraph";
  const shape = SHAPES[String(display)];
  if (shape === undefined) throw notSupported("trendsFilter.display", `the display "${display}"`);
  return shape;
}

function planSeries(node: EventsNode, events: EventsTable, actor: () => Sql, place: string): SeriesPlan {
  const conditions = node.event == null ? [] : [isOneOf(events.column("event"), [node.event])];
  const own = filterCondition(node.properties, events, `${place}.properties`);
  if (own !== TRUE) conditions.push(own);
  return { node, condition: allOf(conditions), math: mathOf(node, events, actor, place) };
}

/** Whether the plan must know the time of the first event. */
export function needsEarliest(query: TrendsQuery): boolean {
  return query.dateRange?.date_from === "all";
}

/** The condition that an event's name is one that a series asks for. */
export function namesOf(series: readonly EventsNode[], events: EventsTable): Sql {
  const names = series.map((node) => node.event ?? null);
  const known = names.filter((name) => name !== null);
  return known.length === names.length && known.length > 0
    ? isOneOf(events.column("event"), [...new Set(known)])
    : TRUE;
}

/** The dates that a query means now. */
export function rangeOf(query: TrendsQuery, calendar: Calendar, earliestMs: number | null): DateRange {
  const exact = query.trendsFilter?.display === "BoldNumber";
  return resolveDateRange(query.dateRange ?? null, { interval: intervalOf(query), exact, earliestMs }, calendar);
}

/** Resolves a node. Errors: TerminalError `invalid_query` that names the option. */
export function planTrends(query: TrendsQuery, context: QueryContext, earliestMs: number | null): TrendsPlan {
  refuseUnsupported(query);
  const interval = intervalOf(query);
  const shape = shapeOf(query);
  const range = rangeOf(query, context, earliestMs);
  const first = shape === "total" ? range.from : firstInstant(range, interval);
  const events = new EventsTable("e");
  const conditions = [filterCondition(query.properties, events, "properties")];
  if (query.filterTestAccounts) {
    conditions.push(filterCondition(context.testAccountFilters, events, "test_account_filters"));
  }
  const actor = () => (context.aggregateByDistinctId ? events.column("distinct_id") : events.personId());
  return {
    query,
    events,
    interval,
    shape,
    range,
    fromMs: first.epochMilliseconds,
    toMs: range.to.epochMilliseconds,
    buckets: shape === "total" ? null : bucketsOf(range, interval, context),
    condition: allOf(conditions.filter((condition) => condition !== TRUE)),
    series: query.series.map((node, i) => planSeries(node, events, actor, `series.${i}`)),
  };
}
