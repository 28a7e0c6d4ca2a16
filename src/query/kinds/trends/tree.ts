import {
  alias,
  and,
  arithmetic,
  call,
  constant,
  field,
  from,
  list,
  select,
  unionAll,
} from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { bucketOf, inSpan, isEmpty, type Period } from "../../insight/axis.ts";
import { insightFilters } from "../../insight/insight.ts";
import { areOfDays, seriesConditions } from "../../insight/lines.ts";
import { areDays, measured, plainAggregate } from "../../insight/measures.ts";
import { ranked, rankedValues } from "../../insight/ranking.ts";
import { BUCKET, LineRows, TIMESTAMP, VALUE } from "../../insight/rows.ts";
import { namesOf } from "../../insight/series.ts";
import { isOfClock } from "../../time/buckets.ts";
import { formatIso } from "../../time/zone.ts";
import type { Line, TrendsPlan } from "./plan.ts";

/** The query of all lines, and the form of its rows. */
export interface TrendsTree {
  query: Query;
  /**
   * All lines are columns of one scan. Its rows are (bucket, value of each line), a total's without a bucket. Else rows are
   * (line, bucket, value, values of the breakdown).
   */
  isWide: boolean;
}

interface PlacedLine {
  line: Line;
  /** Its place among the lines of the plan. */
  index: number;
  scan: Scan;
}

/** The scan that a line shares: of the events by day, or of the events; null where it needs one of its own. */
type Scan = "days" | "events" | null;

/** One query for all lines: in each period one of its own for each shared scan, and for each line that shares none. */
export function trendsTree(plan: TrendsPlan): TrendsTree {
  const lines = plan.lines.map((line, index): PlacedLine => ({ line, index, scan: scanOf(plan, line) }));
  const isWide = plan.periods.length === 1 && lines.every(({ scan }) => scan !== null && scan === lines[0]!.scan);
  const queries = plan.periods.flatMap((period) => {
    const own = lines.filter(({ line }) => line.period === period);
    const scans = Map.groupBy(own, ({ scan }) => scan);
    const alone = scans.get(null) ?? [];
    scans.delete(null);
    return [
      ...[...scans.values()].map((shared) => sharedScan(plan, period, shared, isWide)),
      ...alone.map((one) => single(plan, one)),
    ];
  });
  return { query: unionAll(queries), isWide };
}

/** Without a breakdown the lines that are plain aggregates share a scan. */
function scanOf(plan: TrendsPlan, { series }: Line): Scan {
  if (plan.breakdown !== null || plainAggregate(plan, series) === null) return null;
  if (series.math.kind !== "count" && series.math.kind !== "actors") return "events";
  const { entity, filters } = seriesConditions(plan, series);
  return areOfDays([...entity, ...filters], plan.context) ? "days" : "events";
}

/** Lines that are aggregates of the same rows. */
function sharedScan(plan: TrendsPlan, period: Period, lines: PlacedLine[], areRows: boolean): Query {
  const isOne = lines.length === 1;
  const conditions = lines.map(({ line }) => {
    const { entity, filters } = seriesConditions(plan, line.series);
    return [...entity, ...filters];
  });
  const values = lines.map(({ line }, i) => {
    const value = plainAggregate(plan, line.series, isOne ? null : and(conditions[i]!))!;
    return alias(isOne ? "value" : `v${i}`, areRows ? value : call("toFloat", value));
  });
  const wanted = isOne ? conditions[0]! : namesOf(lines.map(({ line }) => line.series.node));
  const bucket = areRows && period.buckets === null ? [] : [alias("bucket", bucketOf(period, TIMESTAMP))];
  const wide = select([...bucket, ...values], {
    select_from: from("events"),
    where: and([...inSpan(TIMESTAMP, period, plan.context), ...wanted, ...insightFilters(plan)]),
    group_by: period.buckets === null ? null : [BUCKET],
  });
  if (areRows) return wide;
  const [first] = lines;
  if (isOne) return { ...wide, select: [alias("line", constant(first!.index)), ...wide.select] };
  return select([field("line"), BUCKET, VALUE], {
    select_from: from(wide),
    array_join_op: "ARRAY JOIN",
    array_join_list: [
      alias("line", list(...lines.map(({ index }) => constant(index)))),
      alias("value", list(...lines.map((_, i) => field(`v${i}`)))),
    ],
  });
}

/** The values of the breakdown that a line tells apart; all others are one more. */
export function topValues(plan: TrendsPlan, line: Line): Query {
  const rows = new LineRows(plan, line);
  return rankedValues(withTimes(plan, line, rows), rows, rankingOf(plan, line));
}

const rankingOf = (plan: TrendsPlan, line: Line) => ({
  total: call("sum", weighed(plan, line)),
  isMissingLast: true,
  limit: plan.breakdownLimit,
});

function single(plan: TrendsPlan, { line, index }: PlacedLine): Query {
  const rows = new LineRows(plan, line);
  const measure = withTimes(plan, line, rows);
  if (rows.keys.length > 0) {
    return ranked(measure, rows, {
      by: [alias("line", constant(index)), BUCKET],
      values: ["value"],
      ...rankingOf(plan, line),
    });
  }
  return select([alias("line", constant(index)), BUCKET, alias("value", call("toFloat", VALUE))], {
    ctes: rows.ctes,
    select_from: from(measure),
  });
}

/** What a line counts; days are times where the buckets of other lines are. */
function withTimes({ interval, lines }: TrendsPlan, line: Line, rows: LineRows): Query {
  const measure = measured(rows);
  const areTimes = isOfClock(interval) || interval === "day";
  if (!areTimes || !areDays(line) || lines.length === 1) return measure;
  return select([...rows.keys, alias("bucket", call("toDateTime", BUCKET)), VALUE], { select_from: from(measure) });
}

/** The value of a bucket as often as it counts: what is shown of a running total counts in all buckets after it, too. */
function weighed({ isRunning }: TrendsPlan, { period }: Line): Expression {
  if (!isRunning || isEmpty(period)) return VALUE;
  const { interval, starts } = period.buckets!;
  const [first, last] = [starts[0]!, starts.at(-1)!];
  const mayVary = isOfClock(interval) || interval === "day";
  const isEven = !mayVary || first.until(last).total({ unit: interval, relativeTo: first }) === starts.length - 1;
  const named = (at: Temporal.ZonedDateTime) => bucketOf(period, constant(formatIso(at)));
  const passed = (unit: string) => call("dateDiff", constant(unit), named(first), BUCKET);
  // Hours are told without the calendar.
  const isDaily = interval === "day";
  const number = isEven
    ? isDaily
      ? call("round", arithmetic(passed("hour"), "/", constant(24)))
      : passed(interval)
    : arithmetic(call("indexOf", list(...starts.map(named)), BUCKET), "-", constant(1));
  return arithmetic(VALUE, "*", arithmetic(constant(starts.length), "-", number));
}
