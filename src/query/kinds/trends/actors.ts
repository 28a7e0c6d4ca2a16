import type { Static } from "@sinclair/typebox";
import { and, compare } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import {
  actorsOfEvents,
  actorsOfFirstTimes,
  breakdownOptions,
  bucketAt,
  EVENT_COLUMNS,
  type Options,
  PointSchema,
  periodOfBucket,
  periodOptions,
  valuesAre,
} from "../../insight/behind.ts";
import { lastDays } from "../../insight/measures.ts";
import { earliestEvent } from "../../insight/ranges.ts";
import { LineRows } from "../../insight/rows.ts";
import { invalidPart } from "../../shape/errors.ts";
import { checkPart } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import { checkZone } from "../../time/zone.ts";
import type { ActorRows, ReadActors } from "../kind.ts";
import type { TrendsQuery } from "./node.ts";
import { type Line, planTrends, type TrendsPlan } from "./plan.ts";
import { runTrends } from "./run.ts";
import { topValues } from "./tree.ts";

type Point = Static<typeof PointSchema>;

/** The people or groups behind a point of trends. A total, or a node without a `day`, means the whole period. */
export const trendsActors = (query: TrendsQuery): ReadActors => ({
  async behind(part, context) {
    checkZone(context.timezone);
    const point = checkPart(PointSchema, part);
    const plan = planTrends(query, context, await earliestEvent(query, query.series, context));
    return rowsOf(plan, lineOf(plan, point), point);
  },
  options: (context) => optionsOf(query, context),
});

/** Errors: TerminalError `invalid_query` where there is none. */
function lineOf({ lines, breakdown }: TrendsPlan, { series = 0, compare: label, breakdown: value }: Point): Line {
  const period = label ?? "current";
  const own = lines.filter((line) => line.series.order === (series ?? 0) && line.period.label === period);
  if (own.length === 0) throw invalidPart("series", `there is no series ${series} of the ${period} period`);
  if (breakdown?.kind !== "cohorts") return own[0]!;
  const line = own.find(({ cohort }) => String(cohort!.id) === String(value));
  if (line === undefined) throw invalidPart("breakdown", `there is no cohort ${String(value).slice(0, 100)}`);
  return line;
}

function rowsOf(plan: TrendsPlan, whole: Line, { day, breakdown }: Point): ActorRows {
  const { math } = whole.series;
  const { period } = whole;
  const isPoint = period.buckets !== null && day != null;
  const o = { isRunning: plan.isRunning, isOfWindow: math.kind === "active" };
  const line = isPoint
    ? { ...whole, period: periodOfBucket(period, bucketAt(period, day, plan.context), o, plan.context) }
    : { ...whole, period: { ...period, buckets: null } };
  const rows = new LineRows({ ...plan, isRunning: false }, line, period);
  const group = math.kind === "groups" ? math.index : plan.actorGroup;
  if (math.kind === "first") {
    const asked = valueConditions(plan, whole, rows.keys, breakdown);
    return { query: actorsOfFirstTimes(rows, math.isMatching, and(asked)), group, columns: ["event_count"] };
  }
  const asked = valueConditions(plan, whole, rows.keyValues, breakdown);
  const span = math.kind === "active" ? lastDays(line, math.days) : line.period;
  return { query: actorsOfEvents(rows, span, asked), group, columns: EVENT_COLUMNS };
}

/** The conditions that the columns of a breakdown have the values that are asked for; none where none is. */
function valueConditions(plan: TrendsPlan, line: Line, keys: Expression[], asked: Point["breakdown"]): Expression[] {
  if (plan.breakdown?.kind === "cohorts") return [];
  const tuple: Expression = keys.length === 1 ? keys[0]! : { node: "Tuple", exprs: keys };
  return valuesAre(keys, asked) ?? [compare(tuple, "not in", topValues(plan, line))];
}

async function optionsOf(query: TrendsQuery, context: QueryContext): Promise<Options> {
  const plan = planTrends(query, context, await earliestEvent(query, query.series, context));
  const { buckets } = plan.periods[0]!;
  const named = [...new Map(plan.lines.map(({ series }) => [series.order, series.name ?? "All events"]))];
  const options: Options = {
    series: named.map(([value, label]) => ({ label, value })),
    day: (buckets?.days ?? []).map((value, i) => ({ label: buckets!.labels[i]!, value })),
    ...periodOptions(plan.periods),
  };
  if (plan.breakdown === null) return options;
  const { results } = await runTrends({ ...query, compareFilter: null, trendsFilter: null }, context);
  return { ...options, ...breakdownOptions(results) };
}
