import type { GroupIndex } from "../../../types/mod.ts";
import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  identity,
  joined,
  orderBy,
  over,
  select,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Cte, Expression, Join, Query, Select } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { areOfDays } from "../../insight/lines.ts";
import { bucketNumber } from "../../insight/numbers.ts";
import { ACTOR, LineRows, TIMESTAMP } from "../../insight/rows.ts";
import { orByWalk, walkRows } from "../../insight/walkRows.ts";
import type { LifecyclePart, Status } from "./node.ts";
import type { LifecyclePlan } from "./plan.ts";

// `steps` has a row for each actor and bucket with activity: `before` says whether the actor was active in the bucket before it (2), in
// an earlier one alone (1) or never (0), and `after` whether in the next one (1). `created` has a row for each actor and the bucket in
// which it was made. All statuses follow from a join of the two.

const [ACTOR_OF_STEP, N, BEFORE, AFTER] = ["actor", "n", "before", "after"].map((name) => field("steps", name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
const PERSONLESS = field("personless");
const IS_OF_PERSON: Expression = { node: "Not", expr: PERSONLESS };
/** No bucket is next to these. */
const [NEVER_BEFORE, NEVER_AFTER] = [-2, -1];

/** Whether an actor is shown, or only told apart from others, which is cheaper. */
type Told = "key" | "id";

/** The condition of a row that its actor has a status: in its bucket, but dormant in the one after it. */
const IS: Record<Status, Expression> = {
  new: and([call("isNotNull", field("created", "n")), compare(BEFORE, "==", constant(0))])!,
  returning: compare(BEFORE, "==", constant(2)),
  resurrecting: or([
    compare(BEFORE, "==", constant(1)),
    and([compare(BEFORE, "==", constant(0)), call("isNull", field("created", "n"))])!,
  ]),
  dormant: compare(AFTER, "==", constant(0)),
};

/** How many actors have each status: rows (number of the bucket, new, returning, resurrecting, dormant in the next one). */
export function lifecycleTree(plan: LifecyclePlan): Query {
  const counts = Object.entries(IS).map(([status, is]) => alias(status, call("countIf", is)));
  const plain = select([alias("bucket", N), ...counts], { ...stepsOf(plan, "key"), group_by: [field("bucket")] });
  return orByWalk(plain, statusesWalk(plan));
}

/** Who has a status in a bucket (its number among those that are read); without one in any that is shown. */
export function lifecycleActors(plan: LifecyclePlan, { number, status }: ActorsPart): Query {
  const last = plan.line.period.buckets!.starts.length - 1;
  const isAt = (shift: number): Expression => {
    if (number !== null) return compare(N, "==", constant(number - shift));
    return and([compare(N, ">=", constant(plan.before - shift)), compare(N, "<=", constant(last - shift))])!;
  };
  const statuses = status === null ? (Object.keys(IS) as Status[]) : [status];
  return select([alias("actor_id", ACTOR_OF_STEP)], {
    ...stepsOf(plan, "id"),
    distinct: true,
    where: or(statuses.map((one) => and([IS[one], isAt(one === "dormant" ? 1 : 0)])!)),
  });
}

export interface ActorsPart extends Pick<LifecyclePart, "status"> {
  number: number | null;
}

function or(conditions: Expression[]): Expression {
  return conditions.length === 1 ? conditions[0]! : { node: "Or", exprs: conditions };
}

/** `steps` and `created` as names of WITH: nested brackets would take long to parse when the HogQL is asked as a query. */
function stepsOf(plan: LifecyclePlan, told: Told): { ctes: Cte[]; select_from: Join } {
  return {
    ctes: [withQuery("steps", stepsByWindows(plan, told)), withQuery("created", createdActors(plan, told))],
    select_from: from("steps", undefined, besides("created", "steps")),
  };
}

/** The rows of `steps`. */
function stepsByWindows(plan: LifecyclePlan, told: Told): Select {
  const [n, previous, next] = [field("n"), field("previous"), field("next")];
  const window = { partition_by: [ACTOR], order_by: [orderBy(n)] };
  const beside = (name: string, otherwise: number) => over(name, [n, constant(1), constant(otherwise)], window);
  const columns = [alias("previous", beside("lag", NEVER_BEFORE)), alias("next", beside("lead", NEVER_AFTER))];
  const neighbours = select([ACTOR, n, ...columns], { select_from: from("active") });
  const isNext = (later: Expression, sooner: Expression) => compare(later, "==", arithmetic(sooner, "+", constant(1)));
  const isFirst = compare(previous, "==", constant(NEVER_BEFORE));
  const before = call("multiIf", isNext(n, previous), constant(2), isFirst, constant(0), constant(1));
  const after = call("if", isNext(next, n), constant(1), constant(0));
  return select([ACTOR, n, alias("before", before), alias("after", after)], {
    ctes: [...activity(plan, told), withQuery("neighbours", neighbours)],
    select_from: from("neighbours"),
  });
}

/** A walk that counts the statuses itself. */
function statusesWalk(plan: LifecyclePlan): Select["instead"] {
  const rows = new LineRows(plan, plan.line);
  const { period } = plan.line;
  const where = rows.within(period, [...rows.actors.isOne, IS_OF_PERSON]);
  return {
    rows: walkRows(rows.actors.key, [[]], where),
    program: {
      kind: "active",
      steps: 1,
      bucketStartsMs: period.buckets!.edgesMs.slice(0, -1),
      enough: [{ least: 1, most: null }],
      gives: { kind: "statuses", made: { fromMs: period.fromMs, toMs: period.toMs } },
    },
    made: createdTimes(plan),
  };
}

/** A table of actors and buckets beside another one; without a row there where neither is in both. */
function besides(table: string, of: string): Join {
  const same = (name: string) => compare(field(of, name), "==", field(table, name));
  return { ...joined(table, and([same("actor"), same("n")])), join_type: "LEFT JOIN" };
}

/**
 * `active`: the actors and buckets with events that are not personless. The table of days does not tell those from others: there
 * `active` has the buckets with more events than personless ones.
 */
function activity(plan: LifecyclePlan, told: Told): Cte[] {
  const rows = new LineRows(plan, plan.line);
  const { period } = plan.line;
  const actor = told === "key" ? rows.actors.key : rows.actors.id;
  const columns = [alias("actor", actor), alias("n", bucketNumber(period.buckets!, TIMESTAMP))];
  const read = (counted: Expression[], more: Expression[]) =>
    rows.select([...columns, ...counted], rows.within(period, [...rows.actors.isOne, ...more]), [ACTOR, field("n")]);
  const isPerson = told === "key" && plan.actorGroup === null && !plan.context.aggregateByDistinctId;
  if (!isPerson || !period.isOfDays || !areOfDays([...rows.entity, ...rows.filters], plan.context)) {
    return [withQuery("active", read([], [IS_OF_PERSON]))];
  }
  const events = alias("events", call("count"));
  const others = call("ifNull", field("personless", "events"), constant(0));
  const active = select([field("done", "actor"), field("done", "n")], {
    select_from: from("done", undefined, besides("personless", "done")),
    where: compare(field("done", "events"), ">", others),
  });
  return [
    withQuery("done", read([events], [])),
    withQuery("personless", read([events], [PERSONLESS])),
    withQuery("active", active),
  ];
}

/** Who was made in which bucket: persons, groups, or the distinct ids of persons. */
function createdActors({ actorGroup, context, line: { period } }: LifecyclePlan, told: Told): Query {
  const { table, actor, at, conditions } = makers(actorGroup, context.aggregateByDistinctId === true, told);
  return select([alias("actor", actor), alias("n", bucketNumber(period.buckets!, at))], {
    select_from: from(table),
    where: and([...inSpan(at, period, context), ...conditions]),
  });
}

/** When each actor was made, of all times: so it is the same for all questions. */
function createdTimes({ actorGroup, context }: LifecyclePlan): Query {
  const { table, actor, at, conditions } = makers(actorGroup, context.aggregateByDistinctId === true, "key");
  return select([alias("actor", actor), alias("at_ms", call("toUnixTimestamp64Milli", at))], {
    select_from: from(table),
    where: and(conditions),
  });
}

function makers(group: GroupIndex | null, byDistinctId: boolean, told: Told) {
  const at = field("created_at");
  if (group !== null) {
    const conditions = [compare(field("index"), "==", constant(group))];
    return { table: "groups", actor: field("key"), at, conditions };
  }
  if (byDistinctId) {
    const of = field("person", "created_at");
    return { table: "person_distinct_ids", actor: field("distinct_id"), at: of, conditions: [] };
  }
  return { table: "persons", actor: told === "key" ? identity("id") : field("id"), at, conditions: [] };
}
