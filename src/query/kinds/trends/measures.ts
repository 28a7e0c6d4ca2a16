import { compileEmbedded } from "../../source/embedded.ts";
import type { EventsTable } from "../../source/events.ts";
import { allOf, bind, integer, join, name, type Sql, sql, TRUE } from "../../sql/sql.ts";
import { bucketIndex, bucketsOf } from "../../time/buckets.ts";
import { back } from "../../time/dates.ts";
import { type Aggregate, numberOf } from "./math.ts";
import { bucketCount, type SeriesPlan, type TrendsPlan } from "./plan.ts";
import { actorCount, bucketOf, type LineRows } from "./rows.ts";

/**
 * The aggregate of a math that is one over the rows of a bucket, of those that meet `filter`; null for one that needs
 * more than a GROUP BY. The result has at most `groups` rows.
 */
export function plainAggregate(
  plan: TrendsPlan,
  series: SeriesPlan,
  events: EventsTable,
  o: { filter: Sql; groups: number },
): Sql | null {
  const { filter } = o;
  const { math } = series;
  switch (math.kind) {
    case "count":
      return events.count(filter);
    case "actors":
    case "groups":
      return plan.shape === "cumulative" ? null : actorCount(plan, series, events, o);
    case "sessions":
      return sql`count(DISTINCT coalesce(${events.property("$session_id")}, '')) FILTER (WHERE ${filter})`;
    case "property":
      return math.aggregate(numberOf(series.node, events, plan.context, series.place), filter);
    default:
      return null;
  }
}

/** What a line counts, as a SELECT of the columns of its breakdown, `bucket` and `value`. */
export function measured(rows: LineRows): Sql {
  const { plan, line, events } = rows;
  const { math, node, place } = line.series;
  switch (math.kind) {
    case "active":
      return line.period.buckets === null ? activeTotal(rows, math.days) : activeActors(rows, math.days);
    case "first":
      return firstTimes(rows, math.isMatching);
    case "sessionDuration": {
      // All rows of a session say the same of it.
      const duration = sql`any_value(${numberOf(node, events, plan.context, place)})`;
      return overThings(rows, events.property("$session_id"), duration, math.aggregate);
    }
    case "countPerActor":
      return overThings(rows, rows.actor, events.count(TRUE), math.aggregate);
    case "hogql":
      return grouped(rows, compileEmbedded(math.text, "aggregate", events, plan.context, `${place}.math_hogql`));
    case "actors":
    case "groups":
      if (plan.shape === "cumulative") return firstBuckets(rows);
  }
  // Nobody knows how many values a breakdown has.
  const groups = rows.keys.length > 0 ? Number.MAX_SAFE_INTEGER : bucketCount(line.period);
  return grouped(rows, plainAggregate(plan, line.series, events, { filter: TRUE, groups })!);
}

/** An aggregate of the rows of each bucket. */
function grouped(rows: LineRows, value: Sql): Sql {
  const bucket = rows.bucket;
  return sql`${rows.select({ bucket, value })} GROUP BY ${groupBy(rows.keys.length + 1)}`;
}

/** The first columns, by their numbers. */
function groupBy(count: number): Sql {
  return join(
    Array.from({ length: count }, (_, i) => ({ parts: [String(i + 1)] })),
    ", ",
  );
}

const columns = (rows: LineRows, ...others: Sql[]): Sql => join([...rows.keys, ...others], ", ");
const BUCKET = name("bucket");
const ACTOR = name("actor");

/** Each actor in the first bucket only, for a running total. */
function firstBuckets(rows: LineRows): Sql {
  const actor = rows.actor;
  const seen = rows.select({ bucket: sql`min(${rows.bucket})`, actor });
  const keys = rows.keys.length === 0 ? sql`` : sql`${groupBy(rows.keys.length)}, `;
  const firsts = sql`${seen} GROUP BY ${keys}${{ parts: [String(rows.keys.length + 2)] }}`;
  return counted(rows, sql`(${firsts})`);
}

/** Actors of each bucket, of rows that name each once. */
function counted(rows: LineRows, from: Sql): Sql {
  return sql`SELECT ${columns(rows, BUCKET, sql`count(*) AS value`)} FROM ${from} WHERE actor IS NOT NULL GROUP BY ${groupBy(rows.keys.length + 1)}`;
}

/** A number of each thing in a bucket, aggregated over the things: `number` is an aggregate of a thing's rows. */
function overThings(rows: LineRows, thing: Sql, number: Sql, aggregate: Aggregate): Sql {
  const each = sql`${rows.select({ bucket: rows.bucket, thing, n: number })} GROUP BY ${groupBy(rows.keys.length + 2)}`;
  const value = sql`${aggregate(name("n"), TRUE)} AS value`;
  return sql`SELECT ${columns(rows, BUCKET, value)} FROM (${each}) WHERE thing IS NOT NULL GROUP BY ${groupBy(rows.keys.length + 1)}`;
}

/** Actors of the days that end with the range. */
function activeTotal(rows: LineRows, days: number): Sql {
  const { to } = rows.line.period.range;
  // The range ends with a microsecond, events have milliseconds.
  const from = back(to.add({ microseconds: 1 }), "d", days);
  const fromMs = Math.ceil(Number(from.epochNanoseconds / 1000n) / 1000);
  const span = { fromMs, toMs: to.epochMilliseconds };
  const seen = rows.select({ bucket: rows.bucket, actor: rows.actor }, span);
  return counted(rows, sql`(${seen} GROUP BY ${groupBy(rows.keys.length + 2)})`);
}

/**
 * For each bucket the actors of its day and of the days before it. An actor counts from a day on which something was
 * done until the window has passed or the next such day comes: one row for each (actor, day), however long the window.
 */
function activeActors(rows: LineRows, days: number): Sql {
  const { plan, line, keys } = rows;
  const { range, toMs } = line.period;
  const buckets = line.period.buckets!;
  const first = (buckets.starts[0] ?? range.from).startOfDay();
  const around = { from: back(first, "d", days - 1), to: range.to };
  const axis = bucketsOf(around, "day", plan.context);
  const fromMs = around.from.epochMilliseconds;
  const day = bucketIndex(rows.events.when(), axis);
  const seen = sql`${rows.select({ day, actor: rows.actor }, { fromMs, toMs })} GROUP BY ${groupBy(keys.length + 2)}`;
  const partition = columns(rows, ACTOR);
  const next = sql`lead(day, 1, ${integer(axis.starts.length)} + ${integer(days)}) OVER (PARTITION BY ${partition} ORDER BY day)`;
  const spans = sql`SELECT ${columns(rows, sql`day`, sql`least(${next}, day + ${integer(days)}) AS until`)} FROM (${seen}) WHERE actor IS NOT NULL`;
  const change = (at: Sql, delta: Sql) =>
    sql`SELECT ${columns(rows, sql`${at} AS day`, sql`${delta} AS delta`)} FROM spans`;
  const shown = buckets.starts.map((start) => dayOf(axis.edgesMs, start.epochMilliseconds));
  const list = bind(shown.map(String), "VARCHAR[]");
  const axisRows = sql`(SELECT i AS bucket, CAST(list_extract(${list}, i + 1) AS BIGINT) AS day FROM range(${integer(shown.length)}) t(i))`;
  const values = sql`SELECT DISTINCT ${keys.length === 0 ? sql`0` : join(keys, ", ")} FROM spans`;
  const none = sql`SELECT ${columns(rows, sql`day`, sql`0 AS delta`)} FROM (${values}), (SELECT DISTINCT day FROM axis)`;
  const changes = sql`SELECT ${columns(rows, sql`day`, sql`sum(delta) AS delta`)} FROM (
    ${change(sql`day`, sql`1`)} UNION ALL ${change(sql`until`, sql`-1`)} UNION ALL ${none}) GROUP BY ${groupBy(keys.length + 1)}`;
  const order = keys.length === 0 ? sql`ORDER BY day` : sql`PARTITION BY ${join(keys, ", ")} ORDER BY day`;
  const levels = sql`SELECT ${columns(rows, sql`day`, sql`sum(delta) OVER (${order}) AS value`)} FROM (${changes})`;
  return sql`WITH spans AS MATERIALIZED (${spans}), axis AS MATERIALIZED ${axisRows}
    SELECT ${columns(rows, BUCKET, sql`value`)} FROM (${levels}) JOIN axis USING (day) WHERE value > 0`;
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

/**
 * Actors in the bucket of their very first event. `isMatching`: of the first one that meets the filters; else of the
 * first one at all, if it meets them. Of events at one instant the smallest uuid is the first.
 */
function firstTimes(rows: LineRows, isMatching: boolean): Sql {
  const { line, events, keys } = rows;
  const isFiltered = !isMatching && rows.filters !== TRUE;
  const values = rows.keyValues().map((value, i) => sql`${keys[i]!} := ${value}`);
  const told = isFiltered ? [sql`passes := coalesce(${rows.filters}, FALSE)`, ...values] : values;
  const timestamp = told.length === 0 ? events.when() : events.column("timestamp");
  // Which of several events at one instant was the first only matters where more than its time is asked for.
  const first =
    told.length === 0
      ? sql`struct_pack(at := min(${timestamp}))`
      : sql`arg_min(struct_pack(${join([sql`at := ${timestamp}`, ...told], ", ")}), row(${timestamp}, ${events.column("uuid")}))`;
  const actor = rows.actor;
  const where = rows.everBefore(isMatching);
  const firsts = sql`SELECT ${first} AS first FROM ${rows.from()} WHERE ${where} AND ${actor} IS NOT NULL GROUP BY ${actor}`;
  const at = sql`first.at`;
  const found = keys.map((key) => sql`first.${key} AS ${key}`);
  const inPeriod = sql`${at} >= make_timestamp_ms(${integer(line.period.fromMs)})`;
  const counts = allOf([inPeriod, ...(isFiltered ? [sql`first.passes`] : [])]);
  return sql`SELECT ${join([...found, sql`${bucketOf(line, at)} AS bucket`, sql`count(*) AS value`], ", ")} FROM (${firsts}) WHERE ${counts} GROUP BY ${groupBy(keys.length + 1)}`;
}
