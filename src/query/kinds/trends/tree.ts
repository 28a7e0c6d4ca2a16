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
import { seriesConditions } from "../../insight/lines.ts";
import { areDays, measured, plainAggregate } from "../../insight/measures.ts";
import { ranked } from "../../insight/ranking.ts";
import { BUCKET, LineRows, TIMESTAMP, VALUE } from "../../insight/rows.ts";
import { namesOf } from "../../insight/series.ts";
import { EventsTable } from "../../source/events.ts";
import { isOfClock } from "../../time/buckets.ts";
import { formatIso } from "../../time/zone.ts";
import type { Line, TrendsPlan } from "./plan.ts";

interface Indexed {
  line: Line;
  index: number;
}

/**
 * One query for all lines, with rows (line, bucket, value, values of the breakdown). Without a breakdown the lines of a period
 * that are plain aggregates share a scan, one of those that the events by day may tell, and one of the others; where
 * that is all, its rows are those of the answer (`isWide`).
 */
export function trendsTree(plan: TrendsPlan): Query {
  return unionAll(
    plan.periods.flatMap((period) => {
      const lines = plan.lines.flatMap((line, index) => (line.period === period ? [{ line, index }] : []));
      const shared = lines.filter(({ line }) => isShared(plan, line));
      const scans = Map.groupBy(shared, ({ line }) => readsDays(plan, line));
      const others = lines.filter(({ line }) => !isShared(plan, line));
      return [
        ...[...scans.values()].map((own) => sharedScan(plan, period, own)),
        ...others.map((one) => single(plan, one)),
      ];
    }),
  );
}

/** Whether all lines are columns of one scan: its rows are (bucket, value of each line), a total's without a bucket. */
export function isWide(plan: TrendsPlan): boolean {
  const { lines, periods } = plan;
  const isOneScan = new Set(lines.map((line) => readsDays(plan, line))).size === 1;
  return periods.length === 1 && isOneScan && lines.every((line) => isShared(plan, line));
}

const isShared = (plan: TrendsPlan, { series }: Line): boolean =>
  plan.breakdown === null && plainAggregate(plan, series) !== null;

/** Whether the events by day may tell a line. */
function readsDays(plan: TrendsPlan, { series }: Line): boolean {
  const { entity, filters } = seriesConditions(plan, series);
  const events = new EventsTable("e", { days: plan.context.timezone });
  for (const condition of [...entity, ...filters]) if (condition.node === "Embedded") condition.compile(events);
  return events.isOfDays && (series.math.kind === "count" || series.math.kind === "actors");
}

/** Lines that are aggregates of the same rows. */
function sharedScan(plan: TrendsPlan, period: Period, lines: Indexed[]): Query {
  const [isOne, areRows] = [lines.length === 1, isWide(plan)];
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

function single(plan: TrendsPlan, { line, index }: Indexed): Query {
  const rows = new LineRows(plan, line);
  const measure = withTimes(plan, line, rows);
  if (rows.keys.length > 0) {
    return ranked(measure, rows, { line: index, limit: plan.breakdownLimit, weighed: weighed(plan, line) });
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
