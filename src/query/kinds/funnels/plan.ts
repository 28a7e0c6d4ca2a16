import { DAY_MS } from "../../../types/mod.ts";
import type { FunnelProgram } from "../../../walk/mod.ts";
import { hogqlOf } from "../../filter/subjects.ts";
import { call, compare, constant, field } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { bucketCount, type Period } from "../../insight/axis.ts";
import { cohortName, readBreakdown } from "../../insight/breakdowns.ts";
import type { Actors, Insight } from "../../insight/insight.ts";
import { actorsOf } from "../../insight/insight.ts";
import type { Line } from "../../insight/lines.ts";
import { periodsOf } from "../../insight/ranges.ts";
import { nameOf, type SeriesNode } from "../../insight/series.ts";
import { invalidQuery, notSupported } from "../../shape/errors.ts";
import type { QueryContext } from "../../source/context.ts";
import { groupIndexOf } from "../../source/lookups.ts";
import { checkFunnel, isOptional } from "./checks.ts";
import type { FunnelsQuery } from "./node.ts";

const DEFAULT_LIMIT = 25;
const DEFAULT_WINDOW = 14;
/** A hundred years. */
const MAX_WINDOW_MS = 36_500 * DAY_MS;
/** Each has attempts of its own. */
const MAX_BUCKETS = 10_000;

const UNIT_MS = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};

/** Which of the events that fit a step count: all, the first one ever if it meets the filters, or the first one that does. */
type Takes = "all" | "first" | "firstMatching";

const TAKES: Record<string, Takes> = {
  total: "all",
  // A funnel counts actors anyway.
  dau: "all",
  first_time_for_user: "first",
  first_time_for_user_with_filters: "firstMatching",
};

export interface Step {
  node: SeriesNode;
  /** For errors. */
  place: string;
  name: string;
  isOptional: boolean;
  takes: Takes;
}

/** One walk: a period, and with a breakdown by cohorts one of them. */
export type FunnelLine = Pick<Line, "period" | "cohort">;

/** What a FunnelsQuery asks, with every option resolved. */
export interface FunnelPlan extends Insight {
  query: FunnelsQuery;
  /** Where the node stands inside of another one; empty where it is asked itself. */
  place: string;
  shape: "steps" | "time_to_convert" | "trends";
  steps: Step[];
  /** Whose attempts they are, where neither people nor groups: NULL and empty for nobody. */
  aggregate: Expression | null;
  program: Omit<FunnelProgram, "bucketStartsMs">;
  /** The part of the funnel that trends and times are about, counted from 0. */
  fromStep: number;
  toStep: number;
  /** The current one, and the one that it is compared with. */
  periods: Period[];
  /** Values of a breakdown that are told apart; the others are one more. */
  breakdownLimit: number;
  /** In the order of the answer. */
  lines: FunnelLine[];
}

/** Resolves a node. Errors: TerminalError `invalid_query` that names the option. */
export function planFunnels(
  query: FunnelsQuery,
  context: QueryContext,
  { earliestMs, place }: { earliestMs: number | null; place: string },
): FunnelPlan {
  checkFunnel(query);
  const { funnelsFilter: filter, breakdownFilter } = query;
  const shape = filter.funnelVizType ?? "steps";
  const periods = periodsOf(query, context, { earliestMs, isTotal: shape !== "trends" });
  if (periods.some((period) => bucketCount(period) > MAX_BUCKETS)) {
    throw invalidQuery("interval", `there can be at most ${MAX_BUCKETS} intervals`);
  }
  const steps = query.series.map((node, i) => stepOf(node, `series.${i}`, context));
  const given = readBreakdown(breakdownFilter);
  // The times of all actors are told together, whatever values they have.
  const breakdown = shape === "time_to_convert" ? null : given;
  const cohorts =
    breakdown?.kind === "cohorts"
      ? breakdown.ids.map((id) => ({ id, name: cohortName(id, context, breakdown.place) }))
      : [null];
  return {
    query,
    place,
    context,
    shape,
    steps,
    filters: query,
    samplingFactor: query.samplingFactor ?? 1,
    actorGroup: groupIndexOf(query.aggregation_group_type_index),
    aggregate: aggregateOf(query, context),
    breakdown,
    isRunning: false,
    program: programOf(query, steps, breakdown?.kind === "properties"),
    fromStep: filter.funnelFromStep ?? 0,
    toStep: filter.funnelToStep ?? steps.length - 1,
    periods,
    breakdownLimit: breakdownFilter?.breakdown_limit ?? DEFAULT_LIMIT,
    lines: periods.flatMap((period) => cohorts.map((cohort) => ({ period, cohort }))),
  };
}

function stepOf(node: SeriesNode, place: string, context: QueryContext): Step {
  const math = node.math ?? "total";
  const takes = Object.hasOwn(TAKES, math) ? TAKES[math] : undefined;
  if (takes === undefined) throw notSupported(`${place}.math`, `the math "${math}" of a step`);
  return { node, place, name: nameOf(node, context) ?? "All events", isOptional: isOptional(node), takes };
}

function programOf(query: FunnelsQuery, steps: Step[], hasValues: boolean): FunnelPlan["program"] {
  const { funnelOrderType, funnelWindowInterval, funnelWindowIntervalUnit } = query.funnelsFilter;
  const windowMs = (funnelWindowInterval ?? DEFAULT_WINDOW) * UNIT_MS[funnelWindowIntervalUnit ?? "day"];
  if (windowMs > MAX_WINDOW_MS) throw invalidQuery("funnelsFilter.funnelWindowInterval", "must be at most 100 years");
  return {
    kind: "funnel",
    steps: steps.length,
    order: funnelOrderType ?? "ordered",
    windowMs,
    optional: steps.reduce((bits, step, i) => bits + (step.isOptional ? 2 ** i : 0), 0),
    exclusions: query.exclusions.map(({ from, to }) => ({ from, to })),
    attribution: hasValues ? attributionOf(query) : null,
  };
}

function attributionOf({ funnelsFilter }: FunnelsQuery): FunnelProgram["attribution"] {
  const { breakdownAttributionType, breakdownAttributionValue } = funnelsFilter;
  switch (breakdownAttributionType ?? "first_touch") {
    case "last_touch":
      return "last";
    case "all_events":
      return "all";
    case "step":
      return breakdownAttributionValue!;
    default:
      return "first";
  }
}

/** `properties.$session_id` and the like, which HogQL reads as it is stored. */
const PROPERTY = /^\s*properties\.([$\w]+)\s*$/;

/** What `funnelAggregateByHogQL` tells attempts apart by; null for people and groups. */
function aggregateOf({ funnelsFilter, aggregation_group_type_index: group }: FunnelsQuery, context: QueryContext) {
  const text = funnelsFilter.funnelAggregateByHogQL?.trim() || "person_id";
  if (group != null || text === "person_id") return null;
  const [, property] = PROPERTY.exec(text) ?? [];
  if (property !== undefined) return call("toString", field("properties", property));
  const place = "funnelsFilter.funnelAggregateByHogQL";
  return call("toString", hogqlOf(text, "value", context, place));
}

/** Whose attempts are walked. */
export function funnelActors(plan: FunnelPlan): Actors {
  const { aggregate } = plan;
  if (aggregate === null) return actorsOf(plan, null);
  const id = call("nullIf", aggregate, constant(""));
  return { id, key: id, isOne: [compare(id, "!=", constant(null))] };
}
