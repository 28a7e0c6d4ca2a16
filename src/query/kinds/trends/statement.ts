import { NULL_VALUE, OTHER_VALUE } from "../../insight/breakdowns.ts";
import { namesOf } from "../../insight/series.ts";
import { allOf, anyOf, integer, join, name, type Sql, sql, TRUE, text } from "../../sql/sql.ts";
import { measured, plainAggregate } from "./measures.ts";
import { bucketCount, isEmpty, type Line, type Period, type TrendsPlan } from "./plan.ts";
import { bucketOf, daysOf, eventsOf, inSpan, LineRows, queryFilters, seriesConditions } from "./rows.ts";

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
  queryFilters(plan, events);
  plainAggregate(plan, line.series, events, { filter: TRUE, groups: 1 });
  return events.isOfDays;
}

function sharedScan(plan: TrendsPlan, period: Period, lines: Indexed[], isOfDays: boolean): Sql {
  const events = eventsOf(plan, isOfDays ? plan.context.timezone : null);
  const conditions = lines.map(({ line }) => {
    const { entity, filters } = seriesConditions(plan, line.series, events);
    return allOf([entity, filters].filter((condition) => condition !== TRUE));
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
  const where = allOf([inSpan(events, period), wanted, queryFilters(plan, events)].filter((one) => one !== TRUE));
  const bucket = bucketOf(lines[0]!.line, events.when());
  const wide = sql`SELECT ${bucket} AS bucket, ${join(values, ", ")} FROM ${events.from()} WHERE ${where} GROUP BY 1`;
  const indexes = lines.map(({ index }) => integer(index));
  const names = lines.map((_, i) => name(`v${i}`));
  return sql`SELECT unnest([${join(indexes, ", ")}]) AS line, ${NO_VALUES} AS b, bucket, unnest([${join(names, ", ")}]) AS value FROM (${wide})`;
}

const NO_VALUES = sql`CAST(NULL AS VARCHAR[])`;

function single(plan: TrendsPlan, line: Line, index: number): Sql {
  const rows = new LineRows(plan, line);
  const measure = measured(rows);
  if (rows.keys.length > 0) return ranked(plan, line, index, rows.keys, measure);
  return sql`SELECT ${integer(index)} AS line, ${NO_VALUES} AS b, bucket, CAST(value AS DOUBLE) AS value FROM (${measure})`;
}

/**
 * The values of the breakdown with the largest totals, and all others as one more; missing values come last. What ties is
 * in the order of the values.
 */
function ranked(plan: TrendsPlan, line: Line, index: number, keys: readonly Sql[], measure: Sql): Sql {
  // What is shown of a running total counts in all buckets after it, too.
  const length = bucketCount(line.period);
  const weight = plan.shape === "cumulative" ? sql`(${integer(length)} - bucket)` : integer(1);
  const isMissing = anyOf(keys.map((key) => sql`${key} = ${text(NULL_VALUE)}`));
  const total = sql`coalesce(sum(value * ${weight}), 0)`;
  const order = sql`${isMissing}, ${total} DESC, ${join(keys, ", ")}`;
  const places = sql`SELECT ${join(keys, ", ")}, row_number() OVER (ORDER BY ${order}) AS place FROM r GROUP BY ${join(keys, ", ")}`;
  const others = keys.map(() => text(OTHER_VALUE));
  const values = sql`CASE WHEN place <= ${integer(plan.breakdownLimit)} THEN [${join(keys, ", ")}] ELSE [${join(others, ", ")}] END`;
  return sql`(WITH r AS MATERIALIZED (${measure}), places AS (${places})
    SELECT ${integer(index)} AS line, ${values} AS b, bucket, CAST(sum(value) AS DOUBLE) AS value
    FROM r JOIN places USING (${join(keys, ", ")}) GROUP BY 2, 3)`;
}
