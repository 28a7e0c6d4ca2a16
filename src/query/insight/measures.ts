import { hogqlOf } from "../filter/subjects.ts";
import { alias, and, call, constant, field, from, ofDay, select } from "../hogql/syntax/build.ts";
import type { Expression, Query } from "../hogql/syntax/tree.ts";
import { back } from "../time/dates.ts";
import { inSpan, type Past } from "./axis.ts";
import { actorsOf, type Insight } from "./insight.ts";
import type { Line, Series } from "./lines.ts";
import { type Aggregate, aggregated, numberIn } from "./math.ts";
import { ACTOR, type LineRows, TIMESTAMP } from "./rows.ts";
import { activeCounts } from "./windows.ts";

// A cell is a bucket of a line, with a breakdown that of one value. A measure gives a number for each cell.

/** What is wanted of cells: how many actors each has, or who they are. */
type Want = "count" | "actors";

/**
 * The aggregate of a math that is one over the rows of a bucket, of those that meet `when`; null for one that needs more
 * than a GROUP BY.
 */
export function plainAggregate(insight: Insight, series: Series, when: Expression | null = null): Expression | null {
  const { math, node, place } = series;
  const different = (of: Expression): Expression =>
    when === null ? { node: "Call", name: "count", args: [of], distinct: true } : call("uniqIf", of, when);
  switch (math.kind) {
    case "count":
      return aggregated({ name: "count", params: [] }, [], when);
    case "actors":
    case "groups":
      return insight.isRunning ? null : different(actorsOf(insight, math.kind === "groups" ? math.index : null).id);
    case "sessions":
      return different(call("ifNull", field("$session_id"), constant("")));
    case "property":
      return aggregated(math.aggregate, [numberIn(node, insight.context, place)], when);
    default:
      return null;
  }
}

/** Whether the buckets of a line are named by days, whatever the interval. */
export const areDays = ({ series, period }: Line): boolean => series.math.kind === "active" && period.buckets !== null;

/** What a line counts: rows of the columns of its breakdown, `bucket` and `value`. */
export function measured(rows: LineRows): Query {
  const { insight, line, actors } = rows;
  const { math, node, place } = line.series;
  const { context } = insight;
  switch (math.kind) {
    case "active":
      return line.period.buckets === null
        ? rows.ofEvents(call("uniq", actors.id), lastDays(line, math.days), actors.isOne)
        : activeCounts(rows, math.days);
    case "first":
      return firstTimes(rows, math.isMatching, "count");
    case "sessionDuration": {
      const session = field("$session_id");
      // All rows of a session say the same of it.
      const duration = call("any", numberIn(node, context, place));
      return overEach(rows, session, [call("isNotNull", session)], duration, math.aggregate);
    }
    case "countPerActor":
      return overEach(rows, actors.id, actors.isOne, call("count"), math.aggregate);
    case "hogql":
      return rows.ofEvents(call("toFloat", hogqlOf(math.text, "aggregate", context, `${place}.math_hogql`)));
    case "actors":
    case "groups":
      if (insight.isRunning) return firstBuckets(rows);
  }
  return rows.ofEvents(plainAggregate(insight, line.series)!);
}

/** A number of each thing in a cell, aggregated over the things. */
function overEach(rows: LineRows, thing: Expression, isOne: Expression[], number: Expression, over: Aggregate): Query {
  const columns = [...rows.namedKeys(), rows.bucket(), alias("n", number)];
  const by = [...rows.keys, ...rows.byBucket, thing];
  const each = rows.select(columns, rows.within(rows.line.period, isOne), by);
  const bucket = rows.line.period.buckets === null ? [rows.bucket()] : rows.byBucket;
  return rows.cells(from(each), [...rows.keys, ...bucket], aggregated(over, [field("n")]));
}

/** Each actor in the first bucket only, for a running total. */
function firstBuckets(rows: LineRows): Query {
  const { line, keys, actors } = rows;
  const time = keys.length === 0 && line.period.isOfDays ? ofDay("timestamp") : TIMESTAMP;
  const columns = [...rows.namedKeys(), alias("first", call("min", time))];
  const firsts = rows.select(columns, rows.within(line.period, actors.isOne), [...keys, actors.id]);
  return cellsOf(rows, "count", firsts, { keys, at: field("first"), conditions: [] });
}

/** The actor as a column, where it is wanted, and as a key of GROUP BY. */
function toldApart({ actors }: LineRows, want: Want): { actor: Expression[]; by: Expression } {
  return want === "count" ? { actor: [], by: actors.id } : { actor: [alias("actor", actors.id)], by: ACTOR };
}

/** The cells of actors that have a time each. */
function cellsOf(
  rows: LineRows,
  want: Want,
  actors: Query,
  { keys, at, conditions }: { keys: Expression[]; at: Expression; conditions: Expression[] },
): Query {
  const where = and([...inSpan(at, rows.line.period, rows.insight.context), ...conditions]);
  const columns = [...keys, rows.bucket(at)];
  if (want === "count") return rows.cells(from(actors), columns, call("count"), where);
  return select([...columns, ACTOR], { select_from: from(actors), where });
}

/** The days that end with the period, whose end is the last microsecond; events have milliseconds. */
export function lastDays({ period: { range } }: Pick<Line, "period">, days: number): Past {
  const from = back(range.to.add({ microseconds: 1 }), "d", days);
  return { fromMs: Math.ceil(Number(from.epochNanoseconds / 1000n) / 1000), toMs: range.to.epochMilliseconds };
}

/**
 * Actors in the bucket of their very first event. `isMatching`: of the first one that meets the filters; else of the first
 * one at all, if it meets them. Of events at one instant the smallest uuid is the first.
 */
export function firstTimes(rows: LineRows, isMatching: boolean, want: Want): Query {
  const { line, keys, keyValues, entity, filters, insight } = rows;
  const asked = isMatching ? [] : filters;
  const told = [...keyValues, ...asked];
  const time = told.length === 0 && line.period.isOfDays ? ofDay("timestamp") : TIMESTAMP;
  // Which of several events at one instant was the first only matters where more than its time is asked for.
  const tuple = call("argMin", call("tuple", time, ...told), call("tuple", TIMESTAMP, field("uuid")));
  const first = told.length === 0 ? call("min", time) : tuple;
  const ever = inSpan(TIMESTAMP, { fromMs: null, toMs: line.period.toMs }, insight.context);
  const where = and([...ever, ...entity, ...(isMatching ? filters : []), ...rows.actors.isOne]);
  const { actor, by } = toldApart(rows, want);
  const firsts = rows.select([alias("first", first), ...actor], where, [by]);
  const member = (i: number): Expression => ({ node: "TupleAccess", tuple: field("first"), index: i + 2 });
  return cellsOf(rows, want, firsts, {
    keys: rows.namedKeys(keys.map((_, i) => member(i))),
    at: told.length === 0 ? field("first") : { node: "TupleAccess", tuple: field("first"), index: 1 },
    conditions: asked.map((_, i) => member(keys.length + i)),
  });
}
