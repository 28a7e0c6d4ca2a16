import { compileEmbedded } from "../source/embedded.ts";
import type { EventsTable } from "../source/events.ts";
import { allOf, integer, join, name, type Sql, sql, TRUE } from "../sql/sql.ts";
import { back } from "../time/dates.ts";
import { bucketCount, bucketOf, type Past } from "./axis.ts";
import type { Insight } from "./insight.ts";
import { type Aggregate, numberOf } from "./math.ts";
import { actorsOf, type LineRows, type Series } from "./rows.ts";
import { activeActors, activeCounts } from "./windows.ts";

// A cell is a bucket of a line, with a breakdown that of one value. A measure is rows (keys, bucket, actor), of which a cell
// has one for each of its actors, and an aggregate over them; where an aggregate over the events gives the same, that is taken.

/**
 * The aggregate of a math that is one over the rows of a bucket, of those that meet `filter`; null for one that needs
 * more than a GROUP BY. The result has at most `groups` rows.
 */
export function plainAggregate(
  insight: Insight,
  series: Series,
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
      return insight.isRunning ? null : actorsOf(insight, series).count(events, o);
    case "sessions":
      return sql`count(DISTINCT coalesce(${events.property("$session_id")}, '')) FILTER (WHERE ${filter})`;
    case "property":
      return math.aggregate(numberOf(series.node, events, insight.context, series.place), filter);
    default:
      return null;
  }
}

/** What a line counts, as a SELECT of the columns of its breakdown, `bucket` and `value`. */
export function measured(rows: LineRows): Sql {
  const { insight, line, events } = rows;
  const { math, node, place } = line.series;
  switch (math.kind) {
    case "active":
      return line.period.buckets === null ? counted(rows, cellActors(rows)) : activeCounts(rows, math.days);
    case "first": {
      const value = sql`count(*) AS value`;
      return sql`${firstTimes(rows, math.isMatching, { of: [], columns: [value] })} GROUP BY ${rows.firstColumns(1)}`;
    }
    case "sessionDuration": {
      // All rows of a session say the same of it.
      const duration = sql`any_value(${numberOf(node, events, insight.context, place)})`;
      return overEach(rows, each(rows, events.property("$session_id"), { n: duration }), math.aggregate);
    }
    case "countPerActor":
      return overEach(rows, each(rows, rows.actor, { n: events.count(TRUE) }), math.aggregate);
    case "hogql":
      return grouped(rows, compileEmbedded(math.text, "aggregate", events, insight.context, `${place}.math_hogql`));
    case "actors":
    case "groups":
      if (insight.isRunning) return counted(rows, cellActors(rows));
  }
  // Nobody knows how many values a breakdown has.
  const groups = rows.keys.length > 0 ? Number.MAX_SAFE_INTEGER : bucketCount(line.period);
  return grouped(rows, plainAggregate(insight, line.series, events, { filter: TRUE, groups })!);
}

/** Who is in each cell of a line: a SELECT of the columns of its breakdown, `bucket` and `actor`, which is NULL for nobody. */
export function cellActors(rows: LineRows): Sql {
  const { insight, line } = rows;
  const { math } = line.series;
  switch (math.kind) {
    case "active":
      return line.period.buckets === null
        ? each(rows, rows.actor, {}, lastDays(line.period.range.to, math.days))
        : activeActors(rows, math.days);
    case "first":
      return firstTimes(rows, math.isMatching, { of: [sql`${rows.actor} AS actor`], columns: [name("actor")] });
    default:
      return insight.isRunning ? firstBuckets(rows) : each(rows, rows.actor);
  }
}

/** An aggregate of the rows of each bucket. */
function grouped(rows: LineRows, value: Sql): Sql {
  return sql`${rows.select({ bucket: rows.bucket, value })} GROUP BY ${rows.firstColumns(1)}`;
}

/** One row for each actor in each cell, with aggregates of what he did there. */
function each(rows: LineRows, actor: Sql, numbers: Record<string, Sql> = {}, span: Past = rows.line.period): Sql {
  return sql`${rows.select({ bucket: rows.bucket, actor, ...numbers }, span)} GROUP BY ${rows.firstColumns(2)}`;
}

/** How many actors each cell has. */
const counted = (rows: LineRows, actors: Sql): Sql => overEach(rows, actors, () => sql`count(*)`);

/** An aggregate over the actors of each cell, of the number `n` that each has. */
function overEach(rows: LineRows, actors: Sql, aggregate: Aggregate): Sql {
  const columns = rows.columns(name("bucket"), sql`${aggregate(name("n"), TRUE)} AS value`);
  return sql`SELECT ${columns} FROM (${actors}) WHERE actor IS NOT NULL GROUP BY ${rows.firstColumns(1)}`;
}

/** Each actor in the first bucket only, for a running total. */
function firstBuckets(rows: LineRows): Sql {
  const keys = rows.keys.length === 0 ? sql`` : sql`${rows.firstColumns(0)}, `;
  const seen = rows.select({ bucket: sql`min(${rows.bucket})`, actor: rows.actor });
  return sql`${seen} GROUP BY ${keys}${{ parts: [String(rows.keys.length + 2)] }}`;
}

/** The days that end with an instant, which is the last microsecond; events have milliseconds. */
function lastDays(to: Temporal.ZonedDateTime, days: number): Past {
  const from = back(to.add({ microseconds: 1 }), "d", days);
  return { fromMs: Math.ceil(Number(from.epochNanoseconds / 1000n) / 1000), toMs: to.epochMilliseconds };
}

/**
 * Actors in the bucket of their very first event: a SELECT of the keys, `bucket` and `columns`, which may use what there is `of`
 * each actor. `isMatching`: of the first one that meets the filters; else of the first one at all, if it meets them. Of events
 * at one instant the smallest uuid is the first.
 */
function firstTimes(rows: LineRows, isMatching: boolean, { of, columns }: { of: Sql[]; columns: Sql[] }): Sql {
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
  const firsts = sql`SELECT ${join([sql`${first} AS first`, ...of], ", ")} FROM ${rows.from()} WHERE ${where} AND ${actor} IS NOT NULL GROUP BY ${actor}`;
  const at = sql`first.at`;
  const found = keys.map((key) => sql`first.${key} AS ${key}`);
  const inPeriod = sql`${at} >= make_timestamp_ms(${integer(line.period.fromMs)})`;
  const counts = allOf([inPeriod, ...(isFiltered ? [sql`first.passes`] : [])]);
  const shown = join([...found, sql`${bucketOf(line.period, at)} AS bucket`, ...columns], ", ");
  return sql`SELECT ${shown} FROM (${firsts}) WHERE ${counts}`;
}
