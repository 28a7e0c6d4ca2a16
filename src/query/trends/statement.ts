import { bucketIndex, inRange } from "../buckets.ts";
import { allOf, integer, join, name, type Sql, sql, TRUE } from "../sql.ts";
import { namesOf, type SeriesPlan, type TrendsPlan } from "./plan.ts";

/**
 * One statement for all series, with rows (series, bucket, value): the series that are plain aggregates share one
 * scan; a running count of actors needs each actor's first bucket and has a scan of its own.
 */
export function trendsStatement(plan: TrendsPlan): Sql {
  const indexed = plan.series.map((series, index) => ({ series, index }));
  const isRunningActors = (series: SeriesPlan) => plan.shape === "cumulative" && series.math.actor !== null;
  const plain = indexed.filter(({ series }) => !isRunningActors(series));
  const running = indexed.filter(({ series }) => isRunningActors(series));
  const parts = running.map(({ series, index }) => firstBuckets(plan, series, index));
  if (plain.length > 0) parts.unshift(aggregates(plan, plain));
  return join(parts, " UNION ALL ");
}

function bucketOf(plan: TrendsPlan): Sql {
  return plan.buckets === null ? integer(0) : bucketIndex(plan.events.column("timestamp"), plan.buckets);
}

function rowsOf(plan: TrendsPlan, more: Sql): Sql {
  const conditions = [inRange(plan.events.column("timestamp"), plan.fromMs, plan.toMs), more, plan.condition];
  return allOf(conditions.filter((condition) => condition !== TRUE));
}

function aggregates(plan: TrendsPlan, list: { series: SeriesPlan; index: number }[]): Sql {
  const only = list.length === 1 ? list[0]!.series : null;
  const where = rowsOf(
    plan,
    only?.condition ??
      namesOf(
        list.map(({ series }) => series.node),
        plan.events,
      ),
  );
  const values = list.map(({ series }, i) => {
    const value = series.math.aggregate(only === null ? series.condition : TRUE);
    return sql`CAST(${value} AS DOUBLE) AS ${name(`v${i}`)}`;
  });
  const wide = sql`SELECT ${bucketOf(plan)} AS bucket, ${join(values, ", ")} FROM ${plan.events.from()} WHERE ${where} GROUP BY 1`;
  const indexes = list.map(({ index }) => integer(index));
  const names = list.map((_, i) => name(`v${i}`));
  return sql`SELECT unnest([${join(indexes, ", ")}]) AS series, bucket, unnest([${join(names, ", ")}]) AS value FROM (${wide})`;
}

function firstBuckets(plan: TrendsPlan, series: SeriesPlan, index: number): Sql {
  const where = rowsOf(plan, series.condition);
  const actors = sql`SELECT min(${bucketOf(plan)}) AS bucket FROM ${plan.events.from()} WHERE ${where} GROUP BY ${series.math.actor!}`;
  return sql`SELECT ${integer(index)} AS series, bucket, CAST(count(*) AS DOUBLE) AS value FROM (${actors}) GROUP BY bucket`;
}
