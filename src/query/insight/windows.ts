import { bind, integer, join, name, type Sql, sql } from "../sql/sql.ts";
import { bucketIndex, bucketsOf } from "../time/buckets.ts";
import { back } from "../time/dates.ts";
import type { LineRows } from "./rows.ts";

// For each bucket the actors of its day and of the days before it. An actor counts from a day on which something was done
// until the window has passed or the next such day comes: one row for each (actor, day), however long the window.

/** How many actors each bucket has: a SELECT of the columns of the breakdown, `bucket` and `value`. */
export function activeCounts(rows: LineRows, days: number): Sql {
  const { keys } = rows;
  const change = (at: Sql, delta: Sql) =>
    sql`SELECT ${rows.columns(sql`${at} AS day`, sql`${delta} AS delta`)} FROM spans`;
  const values = sql`SELECT DISTINCT ${keys.length === 0 ? sql`0` : join(keys, ", ")} FROM spans`;
  const none = sql`SELECT ${rows.columns(sql`day`, sql`0 AS delta`)} FROM (${values}), (SELECT DISTINCT day FROM axis)`;
  const changes = sql`SELECT ${rows.columns(sql`day`, sql`sum(delta) AS delta`)} FROM (
    ${change(sql`day`, sql`1`)} UNION ALL ${change(sql`until`, sql`-1`)} UNION ALL ${none}) GROUP BY ${rows.firstColumns(1)}`;
  const order = keys.length === 0 ? sql`ORDER BY day` : sql`PARTITION BY ${join(keys, ", ")} ORDER BY day`;
  const levels = sql`SELECT ${rows.columns(sql`day`, sql`sum(delta) OVER (${order}) AS value`)} FROM (${changes})`;
  return sql`${spansAndAxis(rows, days, [])}
    SELECT ${rows.columns(name("bucket"), sql`value`)} FROM (${levels}) JOIN axis USING (day) WHERE value > 0`;
}

/** Who is in each bucket: a SELECT of the columns of the breakdown, `bucket` and `actor`. */
export function activeActors(rows: LineRows, days: number): Sql {
  return sql`${spansAndAxis(rows, days, [name("actor")])}
    SELECT ${rows.columns(name("bucket"), name("actor"))} FROM spans JOIN axis ON axis.day >= spans.day AND axis.day < spans.until`;
}

/** WITH `spans`, in which an actor counts from `day` to before `until`, and `axis`, the day on which each bucket begins. */
function spansAndAxis(rows: LineRows, days: number, further: Sql[]): Sql {
  const { insight, line, keys } = rows;
  const { range, toMs } = line.period;
  const buckets = line.period.buckets!;
  const first = (buckets.starts[0] ?? range.from).startOfDay();
  const around = { from: back(first, "d", days - 1), to: range.to };
  const axis = bucketsOf(around, "day", insight.context);
  const fromMs = around.from.epochMilliseconds;
  const day = bucketIndex(rows.events.when(), axis);
  const seen = sql`${rows.select({ day, actor: rows.actor }, { fromMs, toMs })} GROUP BY ${rows.firstColumns(2)}`;
  const partition = join([...keys, name("actor")], ", ");
  const next = sql`lead(day, 1, ${integer(axis.starts.length)} + ${integer(days)}) OVER (PARTITION BY ${partition} ORDER BY day)`;
  const columns = rows.columns(...further, sql`day`, sql`least(${next}, day + ${integer(days)}) AS until`);
  const spans = sql`SELECT ${columns} FROM (${seen}) WHERE actor IS NOT NULL`;
  const shown = buckets.starts.map((start) => dayOf(axis.edgesMs, start.epochMilliseconds));
  const list = bind(shown.map(String), "VARCHAR[]");
  const axisRows = sql`(SELECT i AS bucket, CAST(list_extract(${list}, i + 1) AS BIGINT) AS day FROM range(${integer(shown.length)}) t(i))`;
  return sql`WITH spans AS MATERIALIZED (${spans}), axis AS MATERIALIZED ${axisRows}`;
}

/** The number of the day that begins at or before an instant. */
function dayOf(edgesMs: readonly number[], atMs: number): number {
  let [low, high] = [0, edgesMs.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edgesMs[middle]! <= atMs) low = middle;
    else high = middle - 1;
  }
  return low;
}
