import {
  alias,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  orderBy,
  over,
  select,
  unionAll,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Expression, Join, Query, Select } from "../../hogql/syntax/tree.ts";
import { walked } from "../../hogql/syntax/walkFunnel.ts";
import { bucketCount } from "../../insight/axis.ts";
import { aggregated } from "../../insight/math.ts";
import { orByWalk } from "../../insight/walkRows.ts";
import { inside } from "../../shape/errors.ts";
import type { FunnelLine, FunnelPlan } from "./plan.ts";
import { programOf, rowsOf } from "./rows.ts";

/** What all values of a breakdown beyond the limit are called together. */
export const OTHER = "Other";

const [VALUE, SHOWN, BUCKET] = [field("value"), field("shown"), field("bucket")];

/** The walks of all lines, counted; rows as `rowsOf…` below gives them. */
export function funnelTree(plan: FunnelPlan): Query {
  const ofLine = { steps: stepCounts, trends: bucketCounts, time_to_convert: binCounts }[plan.shape];
  return unionAll(plan.lines.map((line, i) => ofLine(plan, line, i)));
}

/** An upper limit of the rows of an answer. */
export function maxRowsOf({ lines, breakdown, breakdownLimit, shape, periods }: FunnelPlan): number {
  if (shape === "time_to_convert") return lines.length * (MAX_BINS + 1);
  const buckets = shape === "trends" ? Math.max(...periods.map(bucketCount)) : 1;
  return lines.length * buckets * (breakdown?.kind === "properties" ? breakdownLimit + 1 : 1);
}

/** What a line's walk gives: a row for each actor that began, by value and bucket where there are any. `isNamed`: as of `rowsOf`. */
export const walkOf = (plan: FunnelPlan, line: FunnelLine, isNamed = false): Join =>
  inside(plan.place, () => {
    const rows = { ...rowsOf(plan, line, isNamed), place: plan.place };
    return walked(rows, programOf(plan, line));
  });

/** The instant at which a walk reached a step. */
export const instantOf = (step: number): Expression => field(`t${step}`);

/** Whether a step was done; one that was left out was not. */
export const didStep = (step: number): Expression => call("isNotNull", instantOf(step));

/** The last required step before one; the first step is required. */
export const requiredBefore = ({ steps }: FunnelPlan, step: number): number =>
  steps.findLastIndex(({ isOptional }, i) => i < step && !isOptional);

/** The seconds between two instants. */
export const secondsBetween = (from: Expression, to: Expression): Expression => {
  const ms = (at: Expression) => call("toUnixTimestamp64Milli", at);
  return arithmetic(arithmetic(ms(to), "-", ms(from)), "/", constant(1000));
};

/** Rows of `line`, how many did each step, average and median seconds to each step but the first, and the shown value. */
function stepCounts(plan: FunnelPlan, line: FunnelLine, index: number): Query {
  const counts = plan.steps.map((_, i) => alias(`c${i}`, call("countIf", didStep(i))));
  const times = plan.steps.slice(1).flatMap((_, i) => timesTo(plan, i + 1));
  return orByWalk(
    counted(plan, line, index, { columns: [...counts, ...times], by: [] }),
    countsWalk(plan, line, index),
  );
}

/** A walk that counts them itself. */
function countsWalk(plan: FunnelPlan, line: FunnelLine, index: number): Select["instead"] {
  const { steps, breakdown, breakdownLimit } = plan;
  const other = isHidden(plan) ? null : OTHER;
  return {
    rows: inside(plan.place, () => rowsOf(plan, line, false)),
    program: {
      kind: "funnelCounts",
      funnel: programOf(plan, line),
      line: index,
      since: steps.map(({ isOptional }, i) => (i === 0 || isOptional ? null : requiredBefore(plan, i))),
      shown: breakdown?.kind === "properties" ? { most: breakdownLimit, other } : null,
    },
  };
}

/** Average and median seconds from the required step before; gaps of nothing do not count. Optional steps have none. */
function timesTo(plan: FunnelPlan, step: number): Expression[] {
  const names = [`average${step}`, `median${step}`] as const;
  if (plan.steps[step]!.isOptional) return names.map((name) => alias(name, constant(null)));
  const seconds = secondsBetween(instantOf(requiredBefore(plan, step)), instantOf(step));
  const isGap = compare(seconds, ">", constant(0));
  return [
    alias(names[0], aggregated({ name: "avg", params: [] }, [seconds], isGap)),
    alias(names[1], aggregated({ name: "quantile", params: [0.5] }, [seconds], isGap)),
  ];
}

/** What values are ranked by: those who did the last step, then those before it; over time those who came to the first step asked about. */
function rankOf({ steps, shape, fromStep, toStep }: FunnelPlan): Expression[] {
  if (shape === "trends") return [fromStep, toStep].map((step) => call("countIf", hasReached(step)));
  return steps.map((_, i) => call("countIf", didStep(i))).toReversed();
}

/** Rows of `line`, how many reached the first and the second step asked about, bucket, and the shown value. */
function bucketCounts(plan: FunnelPlan, line: FunnelLine, index: number): Query {
  const reached = (step: number) => call("countIf", hasReached(step));
  const columns = [alias("reachedFrom", reached(plan.fromStep)), alias("reachedTo", reached(plan.toStep)), BUCKET];
  return counted(plan, line, index, { columns, by: [BUCKET] });
}

/** Whether an attempt came to a step. */
export const hasReached = (step: number): Expression => compare(field("reached"), ">", constant(step));

interface Counted {
  columns: Expression[];
  by: Expression[];
}

/** Aggregates over a line's walk, by value where there is a breakdown. */
function counted(plan: FunnelPlan, line: FunnelLine, index: number, { columns, by }: Counted): Select {
  const head = alias("line", constant(index));
  if (plan.breakdown?.kind !== "properties") {
    return select([head, ...columns], { select_from: walkOf(plan, line), group_by: by.length > 0 ? by : null });
  }
  const walk = rankedWalk(plan, line);
  return select([head, ...columns, alias("shown", shownValue(plan))], {
    ...walk,
    where: isHidden(plan) ? isTop(plan) : null,
    group_by: [SHOWN, ...by],
  });
}

/** A line's walk beside the place of each row's value among all. */
export function rankedWalk(
  plan: FunnelPlan,
  line: FunnelLine,
  isNamed = false,
): Pick<Select, "ctes" | "select_from"> & { select_from: Join } {
  const named = select([field("*"), alias("named", call("ifNull", VALUE, constant("")))], {
    select_from: walkOf(plan, line, isNamed),
  });
  const order_by = [...rankOf(plan).map((count) => orderBy(count, "DESC")), orderBy(field("named"))];
  const places = select([alias("placed", field("named")), alias("place", over("row_number", [], { order_by }))], {
    select_from: from("walk"),
    group_by: [field("named")],
  });
  return {
    ctes: [withQuery("walk", named), withQuery("places", places)],
    select_from: from(
      "walk",
      undefined,
      joined("places", compare(field("walk", "named"), "==", field("places", "placed"))),
    ),
  };
}

const isHidden = ({ query }: FunnelPlan): boolean => query.breakdownFilter?.breakdown_hide_other_aggregation === true;

/** Whether the value of a row of `rankedWalk` is told apart from others. */
const isTop = ({ breakdownLimit }: FunnelPlan): Expression => compare(field("place"), "<=", constant(breakdownLimit));

/** What a row of `rankedWalk` is shown as. */
export const shownValue = (plan: FunnelPlan): Expression => call("if", isTop(plan), field("named"), constant(OTHER));

const MAX_BINS = 90;
const MAX_AUTOMATIC_BINS = 60;
/** In seconds, where all times are the same. */
const DEFAULT_WIDTH = 60;

/** Rows of `line`, the number of a bin, how many are in it, and of all: where the bins begin, their width and number, the average. */
function binCounts(plan: FunnelPlan, line: FunnelLine, index: number): Query {
  const { fromStep, toStep } = plan;
  const times = select([alias("seconds", secondsBetween(instantOf(fromStep), instantOf(toStep)))], {
    select_from: walkOf(plan, line),
    where: hasReached(toStep),
  });
  const seconds = field("seconds");
  const ends = select(
    [
      alias("low", call("floor", call("min", seconds))),
      alias("high", call("ceil", call("max", seconds))),
      alias("bins", binsOf(plan)),
      alias("average", call("avg", seconds)),
    ],
    { select_from: from("times") },
  );
  const width = call("ceil", arithmetic(arithmetic(field("high"), "-", field("low")), "/", field("bins")));
  const widths = select(
    [
      field("low"),
      field("bins"),
      field("average"),
      alias("width", call("if", compare(width, ">", constant(0)), width, constant(DEFAULT_WIDTH))),
    ],
    { select_from: from(ends) },
  );
  const bin = call("floor", arithmetic(arithmetic(seconds, "-", field("low")), "/", field("width")));
  const ofAll = ["low", "width", "bins", "average"].map((name) => field(name));
  return select([alias("line", constant(index)), alias("bin", bin), alias("actors", call("count")), ...ofAll], {
    ctes: [withQuery("times", times), withQuery("widths", widths)],
    select_from: from("times", undefined, joined("widths")),
    group_by: [field("bin"), ...ofAll],
  });
}

/** How many bins there are: as many as are asked for, else more for more actors. */
function binsOf({ query: { funnelsFilter } }: FunnelPlan): Expression {
  const { binCount } = funnelsFilter;
  if (binCount != null) return constant(Math.min(MAX_BINS, Math.max(1, binCount)));
  const automatic = call("ceil", call("cbrt", call("count")));
  return call("least", constant(MAX_AUTOMATIC_BINS), call("greatest", constant(1), automatic));
}
