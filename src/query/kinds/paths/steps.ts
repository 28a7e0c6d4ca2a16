import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  orderBy,
  over,
  select,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Cte, Expression, Join, Query, Window } from "../../hogql/syntax/tree.ts";
import { ACTOR, AT, ITEM, itemRows, UUID } from "./items.ts";
import type { PathsPlan } from "./plan.ts";

/** A pause so long ends a path. */
const PAUSE_MS = 30 * 60_000;
/** Farther than any two events. */
const FAR_MS = 1e15;
/** What stands for the middle of a path that is too long. */
const MIDDLE = "...";

export const [PATH, PLACE, BEFORE, BEFORE_AT] = ["path", "place", "before", "before_at"].map((name) => field(name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
const IN_TIME = [orderBy(AT), orderBy(UUID)];
const OF_PATH = [ACTOR, PATH];

/** Queries under names, and the rows that are made of them. */
export interface Rows {
  ctes: Cte[];
  query: Query;
}

/**
 * The steps of all paths: rows of `actor`, `path` (its number among those of the actor), `place` from 1 on, `item`, `at`, and
 * of the step before, `before` and `before_at`, which mean nothing in the first place.
 */
export function stepRows(plan: PathsPlan, isNamed: boolean): Rows {
  const all = numbered(sessions(itemRows(plan, isNamed)));
  const { start, end, stepLimit } = plan;
  if (start === null && end === null) {
    return { ctes: [], query: select(STEP, { select_from: from(all), where: isAtMost(PLACE, constant(stepLimit)) }) };
  }
  const ctes = [withQuery("steps", all)];
  if (start !== null && end !== null) return { ctes, query: between(start, end, stepLimit) };
  return { ctes, query: start !== null ? after(start, stepLimit) : upTo(end!, stepLimit) };
}

const STEP = [ACTOR, PATH, PLACE, ITEM, AT, BEFORE, BEFORE_AT];
const isAtMost = (left: Expression, right: Expression): Expression => compare(left, "<=", right);
const isOver = (left: Expression, right: Expression): Expression => compare(left, ">", right);
const minus = (left: Expression, right: Expression): Expression => arithmetic(left, "-", right);
const plus = (left: Expression, right: Expression): Expression => arithmetic(left, "+", right);
const ONE = constant(1);

/** Each event with the number of its path, without those whose item the next one of the path repeats: the last of them counts. */
function sessions(items: Query): Query {
  const window = { partition_by: [ACTOR], order_by: IN_TIME };
  const isPause = (until: Expression, since: Expression) => compare(minus(until, since), ">=", constant(PAUSE_MS));
  const begins = isPause(AT, over("lag", [AT, ONE, constant(-FAR_MS)], window));
  const ends = isPause(over("lead", [AT, ONE, constant(FAR_MS)], window), AT);
  // What has no name is no step at the end of a path.
  const next = call("if", ends, constant(""), over("lead", [ITEM, ONE, constant("")], window));
  const marked = select(
    [ACTOR, AT, UUID, ITEM, alias("begins", call("if", begins, ONE, constant(0))), alias("next", next)],
    {
      select_from: from(items),
    },
  );
  const soFar: Omit<Window, "node"> = {
    ...window,
    frame_method: "ROWS",
    frame_start: { node: "WindowFrameExpr", frame_type: "PRECEDING" },
    frame_end: { node: "WindowFrameExpr", frame_type: "CURRENT ROW" },
  };
  const path = alias("path", over("sum", [field("begins")], soFar));
  const counted = select([ACTOR, AT, UUID, ITEM, field("next"), path], { select_from: from(marked) });
  return select([ACTOR, PATH, AT, UUID, ITEM], {
    select_from: from(counted),
    where: compare(ITEM, "!=", field("next")),
  });
}

/** Each step with its place and the step before. */
function numbered(rows: Query): Query {
  const window = { partition_by: OF_PATH, order_by: IN_TIME };
  return select([ACTOR, PATH, alias("place", over("row_number", [], window)), ITEM, AT, ...stepBefore(window)], {
    select_from: from(rows),
  });
}

const stepBefore = (window: Omit<Window, "node">): Expression[] => [
  alias("before", over("lag", [ITEM, ONE, constant("")], window)),
  alias("before_at", over("lag", [AT, ONE, constant(0)], window)),
];

/** The place where an item first stands in each path that has it, as `name`. */
const firstPlaces = (item: string, name: string): Query =>
  select([ACTOR, PATH, alias(name, call("min", PLACE))], {
    select_from: from("steps"),
    where: compare(ITEM, "==", constant(item)),
    group_by: OF_PATH,
  });

const [FIRST, LAST] = [field("first"), field("last")];

const stepsWith = (places: Query): Join => {
  const isSame = (column: string) => compare(field("s", column), "==", field("p", column));
  return from("steps", "s", joined(places, and([isSame("actor"), isSame("path")]), "p"));
};

/** The columns of steps, some of them with other values. */
const stepsAs = (others: Record<string, Expression>): Expression[] =>
  ["actor", "path", "place", "item", "at", "before", "before_at"].map((name) =>
    alias(name, others[name] ?? field("s", name)),
  );

/** From where an item first stands, so many steps. */
function after(start: string, stepLimit: number): Query {
  const place = plus(minus(field("s", "place"), FIRST), ONE);
  return select(stepsAs({ place }), {
    select_from: stepsWith(firstPlaces(start, "first")),
    where: and([compare(place, ">=", ONE), isAtMost(place, constant(stepLimit))]),
  });
}

/** Up to where an item first stands, the last so many steps. */
function upTo(end: string, stepLimit: number): Query {
  const place = field("s", "place");
  const leftOut = call("greatest", minus(LAST, constant(stepLimit)), constant(0));
  return select(stepsAs({ place: minus(place, leftOut) }), {
    select_from: stepsWith(firstPlaces(end, "last")),
    where: and([isAtMost(place, LAST), isOver(place, leftOut)]),
  });
}

/** From where one item first stands to where the other does after it. Of too long a path the steps in the middle become one. */
function between(start: string, end: string, stepLimit: number): Query {
  const half = constant(Math.floor(stepLimit / 2));
  const place = field("s", "place");
  const ends = select(
    [alias("actor", field("s", "actor")), alias("path", field("s", "path")), FIRST, alias("last", call("min", place))],
    {
      select_from: stepsWith(firstPlaces(start, "first")),
      where: and([compare(field("s", "item"), "==", constant(end)), compare(place, ">=", FIRST)]),
      group_by: [field("s", "actor"), field("s", "path"), FIRST],
    },
  );
  const isLong = isOver(plus(minus(LAST, FIRST), ONE), constant(stepLimit));
  const inTail = isOver(place, minus(LAST, half));
  const inHead = isAtMost(place, plus(FIRST, half));
  const isMiddle = and([isLong, compare(place, "==", plus(FIRST, half))])!;
  const fromStart = plus(minus(place, FIRST), ONE);
  const fromEnd = plus(plus(minus(place, minus(LAST, half)), half), ONE);
  const shortened = select(
    [
      alias("actor", field("s", "actor")),
      alias("path", field("s", "path")),
      alias("place", call("if", call("and", isLong, call("not", inHead)), fromEnd, fromStart)),
      alias("item", call("if", isMiddle, constant(MIDDLE), field("s", "item"))),
      alias("at", field("s", "at")),
    ],
    {
      select_from: stepsWith(ends),
      where: and([compare(place, ">=", FIRST), isAtMost(place, LAST), call("or", call("not", isLong), inHead, inTail)]),
    },
  );
  const window = { partition_by: OF_PATH, order_by: [orderBy(PLACE)] };
  return select([ACTOR, PATH, PLACE, ITEM, AT, ...stepBefore(window)], { select_from: from(shortened) });
}
