import { call, compare, constant } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { checkCells, type Period } from "../../insight/axis.ts";
import { type ALL_USERS, cohortName, readBreakdown } from "../../insight/breakdowns.ts";
import { type Insight, insightOf } from "../../insight/insight.ts";
import { seriesConditions } from "../../insight/lines.ts";
import { numberIn } from "../../insight/math.ts";
import { exists, type SeriesNode, sameEntity } from "../../insight/series.ts";
import { invalidQuery } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { edgesOf } from "../../time/buckets.ts";
import { type Column, cohortsOf, columnsOf, intervalOf, type RetentionInterval } from "./axis.ts";
import type { RetentionFilter, RetentionQuery } from "./node.ts";
import { Steps } from "./steps.ts";

const DEFAULT_LIMIT = 25;
const MAX_STEPS = 50_000;

/** Events of an entity: those of its name or its action, and what its filters ask besides. */
export interface Entity {
  named: Expression[];
  filters: Expression[];
  node: SeriesNode;
}

/** A property that is summed up. */
export interface Summed {
  isAverage: boolean;
  /** The number of an event. */
  number: Expression;
}

/** What a RetentionQuery asks, with every option resolved. */
export interface RetentionPlan extends Insight {
  query: RetentionQuery;
  interval: RetentionInterval;
  /** The intervals of the cohorts. */
  cohorts: Period;
  columns: Column[];
  /** The time between a start and a return is counted in these. */
  steps: Steps;
  /** An interval has so many of them. */
  stepsPerInterval: number;
  target: Entity;
  returning: Entity;
  areSame: boolean;
  /** Which events make an actor part of a cohort: each, the first, or the first of the name if it meets the filters. */
  start: "each" | "first" | "firstOfName";
  /** Whether time is counted from the actor's first event on, instead of by the calendar. */
  isByWindows: boolean;
  isCumulative: boolean;
  /** So many events of an interval are a return. */
  minimum: number;
  summed: Summed | null;
  /** Of the breakdown; null where it is not one by cohorts. */
  cohortIds: (number | typeof ALL_USERS)[] | null;
  breakdownLimit: number;
}

/** Resolves a node. Errors: TerminalError `invalid_query` that names the option. */
export function planRetention(
  query: RetentionQuery,
  context: QueryContext,
  earliestMs: number | null = null,
): RetentionPlan {
  const { retentionFilter: filter, breakdownFilter } = query;
  const interval = intervalOf(filter);
  const cohorts = cohortsOf(query, context, earliestMs);
  const columns = columnsOf(filter);
  const breakdown = readBreakdown(breakdownFilter);
  const breakdownLimit = breakdownFilter?.breakdown_limit ?? DEFAULT_LIMIT;
  const cells = cohorts.buckets!.starts.length * (columns.length + 1) * (breakdown === null ? 1 : breakdownLimit + 1);
  checkCells(cells, "retentionFilter");
  const isByWindows = filter.timeWindowMode === "24_hour_windows";
  if (isByWindows && filter.cumulative) {
    throw invalidQuery("retentionFilter.cumulative", "windows of 24 hours are not cumulative");
  }
  const insight = insightOf(query, context, { breakdown });
  return {
    ...insight,
    query,
    interval,
    cohorts,
    columns,
    ...stepsOf(cohorts, interval, isByWindows, context),
    target: entityOf(query.target, insight, "retentionFilter.targetEntity"),
    returning: entityOf(query.returning, insight, "retentionFilter.returningEntity"),
    areSame: areSame(query.target, query.returning),
    start: STARTS[filter.retentionType ?? "retention_recurring"],
    isByWindows,
    isCumulative: filter.cumulative === true,
    minimum: filter.minimumOccurrences || 1,
    summed: summedOf(query, context),
    cohortIds: breakdown?.kind === "cohorts" ? breakdown.ids : null,
    breakdownLimit,
  };
}

const STARTS: Record<NonNullable<RetentionFilter["retentionType"]>, RetentionPlan["start"]> = {
  retention_recurring: "each",
  retention_first_time: "first",
  retention_first_ever_occurrence: "firstOfName",
};

/** Whether a row of the answer has all columns of a cohort; else a cohort has a row for each column. */
export const areWide = ({ summed }: RetentionPlan): boolean => summed !== null;

/** By the calendar a step is an interval; windows are 24 hours, 7 or 30 days. */
function stepsOf(cohorts: Period, interval: RetentionInterval, isByWindows: boolean, context: QueryContext) {
  if (!isByWindows) return { steps: new Steps(cohorts.buckets!.edgesMs, interval !== "hour"), stepsPerInterval: 1 };
  const [unit, stepsPerInterval] = WINDOWS[interval];
  const isEmpty = cohorts.toMs < cohorts.fromMs;
  const edges = isEmpty ? [] : edgesOf(cohorts.fromMs, cohorts.toMs, unit, context, MAX_STEPS);
  if (edges === null) throw invalidQuery("dateRange", `the range has more than ${MAX_STEPS} hours`);
  return { steps: new Steps(edges, unit === "day"), stepsPerInterval };
}

const WINDOWS: Record<RetentionInterval, [unit: "hour" | "day", count: number]> = {
  hour: ["hour", 1],
  day: ["hour", 24],
  week: ["day", 7],
  month: ["day", 30],
};

const NEVER = compare(constant(1), "==", constant(2));

/** Of a deleted action there are no events. */
function entityOf(node: SeriesNode, insight: Insight, place: string): Entity {
  if (!exists(node, insight.context)) return { named: [NEVER], filters: [], node };
  const math = { kind: "count" } as const;
  // Which events are sampled is asked of all of them at once.
  const { entity, filters } = seriesConditions({ ...insight, samplingFactor: 1 }, { node, math, place });
  return { named: entity, filters, node };
}

/** Whether two nodes mean the same events. */
const areSame = (a: SeriesNode, b: SeriesNode): boolean =>
  sameEntity(a, b) && JSON.stringify(a.properties ?? []) === JSON.stringify(b.properties ?? []);

function summedOf({ retentionFilter: filter }: RetentionQuery, context: QueryContext): Summed | null {
  const { aggregationType: type, aggregationProperty: property, aggregationPropertyType: owner } = filter;
  if (type !== "sum" && type !== "avg") return null;
  const place = "retentionFilter.aggregationProperty";
  if (!property) throw invalidQuery(place, `the ${type} needs a property`);
  for (const [member, isGiven] of [
    ["timeWindowMode", filter.timeWindowMode === "24_hour_windows"],
    ["cumulative", filter.cumulative === true],
  ] as const) {
    if (isGiven)
      throw invalidQuery(`retentionFilter.${member}`, `the ${type} of a property is by calendar, and not cumulative`);
  }
  const node = {
    kind: "EventsNode",
    math_property: property,
    math_property_type: owner === "person" ? "person_properties" : "event_properties",
  } as const;
  return { isAverage: type === "avg", number: call("ifNull", numberIn(node, context, place), constant(0)) };
}

/** What rows of a cohort of the breakdown are called. Errors: TerminalError `invalid_query` where there is no such cohort. */
export function cohortValue(id: number | typeof ALL_USERS, context: QueryContext): string {
  cohortName(id, context, "breakdownFilter.breakdown");
  return id === "all" ? "0" : String(id);
}
