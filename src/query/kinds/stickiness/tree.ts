import { hogqlOf } from "../../filter/subjects.ts";
import { alias, and, call, compare, constant, field, from, list, select, unionAll } from "../../hogql/syntax/build.ts";
import type { Expression, Query, Select } from "../../hogql/syntax/tree.ts";
import { inSpan, type Period } from "../../insight/axis.ts";
import { type Actors, actorsOf, insightFilters } from "../../insight/insight.ts";
import { areOfDays, type Series, seriesConditions } from "../../insight/lines.ts";
import { bucketNumber, divided, intervalsBefore } from "../../insight/numbers.ts";
import { ACTOR, TIMESTAMP } from "../../insight/rows.ts";
import { namesOf } from "../../insight/series.ts";
import { MAX_STEPS, orByWalk, walkRows } from "../../insight/walkRows.ts";
import { OPERATORS, type StickinessPart } from "./node.ts";
import type { Line, StickinessPlan } from "./plan.ts";

const INTERVALS = field("intervals");

/** How many actors were active in how many intervals: rows (line, intervals, actors). Lines of the same actors share a scan. */
export function stickinessTree(plan: StickinessPlan): Query {
  const lines = plan.lines.map((line, index) => ({ line, index }));
  const shared = Map.groupBy(lines, ({ line }) => scanOf(plan, line));
  return unionAll(
    [...shared.values()].map((some) => {
      const own = some.map(({ line }) => line);
      const indexes = some.map(({ index }) => index);
      const columns = indexes.map((index) => constant(index));
      const counts = some.length === 1 ? countsOfOne(plan, own[0]!, columns[0]!) : countsOfAll(plan, own, columns);
      return orByWalk(counts, countsWalk(plan, own, indexes));
    }),
  );
}

/** Who is behind a bar. */
export function stickinessActors(plan: StickinessPlan, line: Line, { intervals, operator }: StickinessPart): Query {
  const comparison = plan.isCumulative ? "gte" : (operator ?? "exact");
  return select([alias("actor_id", ACTOR)], {
    select_from: from(activity(plan, [line], "id")),
    group_by: [ACTOR],
    having: intervals === null ? null : compare(call("count"), OPERATORS[comparison], constant(intervals)),
  });
}

/** What lines that are counted together have in common: their actors, their period, and whether days tell them. */
function scanOf(plan: StickinessPlan, { series, period }: Line): string {
  const { entity, filters } = seriesConditions(plan, series);
  const { kind } = series.math;
  const actors = kind === "groups" ? series.math.index : kind === "hogql" ? series.math.text : null;
  return JSON.stringify([period.label, kind, actors, areOfDays([...entity, ...filters], plan.context)]);
}

function countsOfOne(plan: StickinessPlan, line: Line, index: Expression): Select {
  const each = select([alias("intervals", call("count"))], {
    select_from: from(activity(plan, [line], "key")),
    group_by: [ACTOR],
  });
  return select([alias("line", index), INTERVALS, alias("actors", call("count"))], {
    select_from: from(each),
    group_by: [INTERVALS],
  });
}

function countsOfAll(plan: StickinessPlan, lines: Line[], indexes: Expression[]): Select {
  const counts = lines.map((_, i) => alias(`n${i}`, call("countIf", meets(plan, field(`c${i}`)))));
  const each = select(counts, { select_from: from(activity(plan, lines, "key")), group_by: [ACTOR] });
  const told = select([field("line"), INTERVALS], {
    select_from: from(each),
    array_join_op: "ARRAY JOIN",
    array_join_list: [
      alias("line", list(...indexes)),
      alias("intervals", list(...lines.map((_, i) => field(`n${i}`)))),
    ],
  });
  return select([field("line"), INTERVALS, alias("actors", call("count"))], {
    select_from: from(told),
    where: compare(INTERVALS, ">", constant(0)),
    group_by: [field("line"), INTERVALS],
  });
}

/** The same numbers as of a walk; null where its intervals or lines are not those of a walk. */
function countsWalk(plan: StickinessPlan, lines: Line[], indexes: number[]): Select["instead"] | null {
  const [{ period, series }] = lines as [Line, ...Line[]];
  const startsMs = intervalStarts(plan, period);
  if (startsMs === null || lines.length > MAX_STEPS) return null;
  const { key, isOne } = actorsOfSeries(plan, series);
  const { where, conditions } = eventsOf(plan, lines);
  const enough = enoughOf(plan);
  return {
    rows: walkRows(key, conditions, and([...where, ...isOne])),
    program: {
      kind: "active",
      steps: lines.length,
      bucketStartsMs: startsMs,
      enough: lines.map(() => enough),
      gives: { kind: "counts", lines: indexes },
    },
  };
}

/** How many events of an interval make an actor active in it. */
function enoughOf({ query }: StickinessPlan): { least: number; most: number | null } {
  const { operator = "gte", value = 1 } = query.stickinessFilter?.stickinessCriteria ?? {};
  return { least: operator === "lte" ? 1 : Math.max(value, 1), most: operator === "gte" ? null : value };
}

/** Where the intervals begin; null where several that make one do not begin with days. */
function intervalStarts({ query, interval }: StickinessPlan, { buckets, range, isOfDays }: Period): number[] | null {
  if (query.intervalCount == null) return buckets!.edgesMs.slice(0, -1);
  if (!isOfDays || (interval !== "day" && interval !== "week")) return null;
  const days = interval === "day" ? 1 : 7;
  const startsMs: number[] = [];
  for (let passed = 1; ; passed++) {
    const first = range.to.toPlainDate().subtract({ days: passed * days * query.intervalCount - 1 });
    const startMs = first.toZonedDateTime(range.to.timeZoneId).epochMilliseconds;
    startsMs.push(startMs);
    if (startMs <= range.from.epochMilliseconds) return startsMs.reverse();
  }
}

/** What is asked of the events of lines that are counted together, and what each of them asks besides. */
function eventsOf(plan: StickinessPlan, lines: readonly Line[]): { where: Expression[]; conditions: Expression[][] } {
  const [{ period }] = lines as [Line, ...Line[]];
  const conditions = lines.map((line) => {
    const { entity, filters } = seriesConditions(plan, line.series);
    return [...entity, ...filters];
  });
  const wanted = lines.length > 1 ? namesOf(lines.map((line) => line.series.node)) : conditions[0]!;
  return { where: [...inSpan(TIMESTAMP, period, plan.context), ...wanted, ...insightFilters(plan)], conditions };
}

/**
 * Rows (`actor`, `n`): in which intervals each was active. Of several lines with the columns `c0`, `c1`, …, how many events
 * of each line the interval has.
 */
function activity(plan: StickinessPlan, lines: Line[], told: "key" | "id"): Query {
  const [{ period, series }] = lines as [Line, ...Line[]];
  const { id, key, isOne } = actorsOfSeries(plan, series);
  const isShared = lines.length > 1;
  const { where, conditions } = eventsOf(plan, lines);
  const counts = conditions.map((one, i) => {
    const met = and(one);
    return alias(`c${i}`, met === null ? call("count") : call("countIf", met));
  });
  return select(
    [alias("actor", told === "key" ? key : id), alias("n", interval(plan, period)), ...(isShared ? counts : [])],
    {
      select_from: from("events"),
      where: and([...where, ...isOne]),
      group_by: [ACTOR, field("n")],
      having: isShared || plan.query.stickinessFilter?.stickinessCriteria == null ? null : meets(plan, call("count")),
    },
  );
}

/** The condition that so many events make an actor active in an interval. */
function meets({ query }: StickinessPlan, events: Expression): Expression {
  const isAny = compare(events, ">", constant(0));
  const criteria = query.stickinessFilter?.stickinessCriteria;
  if (criteria == null) return isAny;
  return and([isAny, compare(events, OPERATORS[criteria.operator], constant(criteria.value))])!;
}

/** A number of the interval of an event. Several buckets that make one interval are counted from the end of the range. */
function interval({ query, interval }: StickinessPlan, { buckets, range, isOfDays }: Period): Expression {
  if (query.intervalCount == null) return bucketNumber(buckets!, TIMESTAMP);
  return divided(intervalsBefore(range.to, { interval, isOfDays }, TIMESTAMP), query.intervalCount);
}

function actorsOfSeries(plan: StickinessPlan, { math, place }: Series): Actors {
  if (math.kind !== "hogql") return actorsOf(plan, math.kind === "groups" ? math.index : null);
  const id = call("toString", hogqlOf(math.text, "value", plan.context, `${place}.math_hogql`));
  return { id, key: id, isOne: [call("isNotNull", id)] };
}
