import { bucketCount, bucketOf, inSpan, isEmpty, type Period } from "../../insight/axis.ts";
import { eventsOf, insightFilters } from "../../insight/insight.ts";
import { measured, plainAggregate } from "../../insight/measures.ts";
import { ranked } from "../../insight/ranking.ts";
import { daysOf, LineRows, seriesConditions } from "../../insight/rows.ts";
import { namesOf } from "../../insight/series.ts";
import { allOf, integer, join, name, type Sql, sql, TRUE } from "../../sql/sql.ts";
import type { Line, TrendsPlan } from "./plan.ts";

/**
 * One statement for all lines, with rows (line, values of the breakdown, bucket, value). Without a breakdown the lines of
 * a period that are plain aggregates share a scan, one of those that read the events by day, and one of those that read the
 * events; all others have their own.
 */
export function trendsStatement(plan: TrendsPlan): Sql {
  const isShared = (line: Line): boolean =>
    plan.breakdown === null && plainAggregate(plan, line.series, eventsOf(plan), { filter: TRUE, groups: 1 }) !== null;
  const parts = plan.periods.flatMap((period) => {
    const lines = plan.lines.flatMap((line, index) => (line.period === period ? [{ line, index }] : []));
    const shared = lines.filter(({ line }) => isShared(line));
    const others = lines.filter(({ line }) => !isShared(line)).map(({ line, index }) => single(plan, line, index));
    const scans = Map.groupBy(shared, ({ line }) => needsDaysOnly(plan, line));
    const all = [...[...scans].map(([isOfDays, own]) => sharedScan(plan, period, own, isOfDays)), ...others];
    // What is asked of no time at all is compiled for its errors only.
    return isEmpty(period) ? [] : all;
  });
  return join(parts, " UNION ALL ");
}

interface Indexed {
  line: Line;
  index: number;
}

/** Whether the events by day tell all that a plain aggregate reads. */
function needsDaysOnly(plan: TrendsPlan, line: Line): boolean {
  const events = eventsOf(plan, daysOf(plan, line));
  seriesConditions(plan, line.series, events);
  insightFilters(plan, events);
  plainAggregate(plan, line.series, events, { filter: TRUE, groups: 1 });
  return events.isOfDays;
}

function sharedScan(plan: TrendsPlan, period: Period, lines: Indexed[], isOfDays: boolean): Sql {
  const events = eventsOf(plan, isOfDays ? plan.context.timezone : null);
  const conditions = lines.map(({ line }) => {
    const { entity, filters } = seriesConditions(plan, line.series, events);
    return allOf([entity, filters]);
  });
  const isOne = lines.length === 1;
  const values = lines.map(({ line }, i) => {
    const filter = isOne ? TRUE : conditions[i]!;
    const value = plainAggregate(plan, line.series, events, { filter, groups: bucketCount(period) * lines.length });
    return sql`CAST(${value!} AS DOUBLE) AS ${name(`v${i}`)}`;
  });
  const wanted = isOne
    ? conditions[0]!
    : namesOf(
        lines.map(({ line }) => line.series.node),
        events,
      );
  const where = allOf([inSpan(events.when(), period), wanted, insightFilters(plan, events)]);
  const bucket = bucketOf(period, events.when());
  const wide = sql`SELECT ${bucket} AS bucket, ${join(values, ", ")} FROM ${events.from()} WHERE ${where} GROUP BY 1`;
  const indexes = lines.map(({ index }) => integer(index));
  const names = lines.map((_, i) => name(`v${i}`));
  return sql`SELECT unnest([${join(indexes, ", ")}]) AS line, ${NO_VALUES} AS b, bucket, unnest([${join(names, ", ")}]) AS value FROM (${wide})`;
}

const NO_VALUES = sql`CAST(NULL AS VARCHAR[])`;

function single(plan: TrendsPlan, line: Line, index: number): Sql {
  const rows = new LineRows(plan, line);
  const measure = measured(rows);
  const number = sql`${integer(index)} AS line`;
  if (rows.keys.length > 0) {
    // What is shown of a running total counts in all buckets after it, too.
    const weight = plan.isRunning ? sql`(${integer(bucketCount(line.period))} - bucket)` : integer(1);
    return ranked(measure, rows.keys, { limit: plan.breakdownLimit, weight, extra: number });
  }
  return sql`SELECT ${number}, ${NO_VALUES} AS b, bucket, CAST(value AS DOUBLE) AS value FROM (${measure})`;
}
