import {
  alias,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  orderBy,
  over,
  select,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Cte, Expression, Query, Window } from "../../hogql/syntax/tree.ts";
import { ACTOR, AT, columnsOf, ITEM, itemRows, UUID, type Want } from "./items.ts";
import type { PathsPlan } from "./plan.ts";
import { Trim } from "./trim.ts";

/** Farther than any two events. */
const FAR_MS = 1e15;

export const [PATH, PLACE, BEFORE, BEFORE_AT] = ["path", "place", "before", "before_at"].map((name) => field(name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
export const OF_PATH = [ACTOR, PATH];
const IN_TIME = [orderBy(AT), orderBy(UUID)];
const ONE = constant(1);

type Columns = readonly Expression[];

/** Queries under names, and the rows that are made of them. */
export interface Rows {
  ctes: Cte[];
  query: Query;
}

/**
 * The steps of all paths: rows of `actor`, `path` (its number among those of the actor), `place` from 1 on, `item`, `at`, of the
 * step before `before` and `before_at`, which mean nothing in the first place, and `columnsOf`.
 */
export function stepRows(plan: PathsPlan, want: Want): Rows {
  const more = columnsOf(want);
  const all = numbered(sessions(plan, itemRows(plan, want), more), more);
  const { start, end, stepLimit } = plan;
  if (start === null && end === null) {
    const steps = [ACTOR, PATH, PLACE, ITEM, AT, BEFORE, BEFORE_AT, ...more];
    const where = compare(PLACE, "<=", constant(stepLimit));
    return { ctes: [], query: select(steps, { select_from: from(all), where }) };
  }
  const trim = new Trim(stepLimit, more);
  const query =
    start === null ? trim.upTo(end!) : end === null ? trim.after(start) : withBefore(trim.between(start, end), more);
  return { ctes: [withQuery("steps", all)], query };
}

/** Each event with the number of its path, without those whose item the next one of the path repeats: the last of them counts. */
function sessions({ pauseMs }: PathsPlan, items: Query, more: Columns): Query {
  const window = { partition_by: [ACTOR], order_by: IN_TIME };
  const isPause = (until: Expression, since: Expression) =>
    compare(arithmetic(until, "-", since), ">=", constant(pauseMs));
  const begins = isPause(AT, over("lag", [AT, ONE, constant(-FAR_MS)], window));
  const ends = isPause(over("lead", [AT, ONE, constant(FAR_MS)], window), AT);
  // What has no name is no step at the end of a path.
  const next = call("if", ends, constant(""), over("lead", [ITEM, ONE, constant("")], window));
  const marks = [alias("begins", call("if", begins, ONE, constant(0))), alias("counts", compare(ITEM, "!=", next))];
  const marked = select([ACTOR, AT, ITEM, ...marks, ...more], { select_from: from(items) });
  const path = alias("path", over("sum", [field("begins")], { ...window, ...SO_FAR }));
  const told = select([ACTOR, path, AT, ITEM, field("counts"), ...more], { select_from: from(marked) });
  return select([ACTOR, PATH, AT, ITEM, ...more], { select_from: from(told), where: field("counts") });
}

const SO_FAR = {
  frame_method: "ROWS",
  frame_start: { node: "WindowFrameExpr", frame_type: "PRECEDING" },
  frame_end: { node: "WindowFrameExpr", frame_type: "CURRENT ROW" },
} satisfies Partial<Window>;

/** Each step with its place and the step before. */
function numbered(rows: Query, more: Columns): Query {
  const window = { partition_by: OF_PATH, order_by: IN_TIME };
  const place = alias("place", over("row_number", [], window));
  return select([ACTOR, PATH, place, ITEM, AT, ...stepBefore(window), ...more], { select_from: from(rows) });
}

function withBefore(rows: Query, more: Columns): Query {
  const window = { partition_by: OF_PATH, order_by: [orderBy(PLACE)] };
  return select([ACTOR, PATH, PLACE, ITEM, AT, ...stepBefore(window), ...more], { select_from: from(rows) });
}

const stepBefore = (window: Omit<Window, "node">): Expression[] => [
  alias("before", over("lag", [ITEM, ONE, constant("")], window)),
  alias("before_at", over("lag", [AT, ONE, constant(0)], window)),
];
