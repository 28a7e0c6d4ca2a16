import type { GroupIndex } from "../../../types/mod.ts";
import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  embedded,
  field,
  from,
  identity,
  joined,
  orderBy,
  over,
  select,
  unionAll,
} from "../../hogql/syntax/build.ts";
import type { Expression, Join, Query } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { areOfDays } from "../../insight/lines.ts";
import { bucketNumber } from "../../insight/numbers.ts";
import { ACTOR, LineRows, TIMESTAMP } from "../../insight/rows.ts";
import { sql } from "../../sql/sql.ts";
import type { LifecyclePart, Status } from "./node.ts";
import type { LifecyclePlan } from "./plan.ts";

// A row of `steps` is an actor in a bucket in which he was active, with the numbers of the ones before and after it in which
// he was, too. All statuses follow from one such row.

const [N, PREVIOUS, NEXT] = [field("n"), field("previous"), field("next")];
/** No bucket is next to these. */
const [NEVER_BEFORE, NEVER_AFTER] = [-2, -1];

/** Whether an actor is shown, or only told apart from others, which is cheaper. */
type Told = "key" | "id";

const plus = (number: Expression, by: number): Expression => arithmetic(number, "+", constant(by));
const not = (expr: Expression): Expression => ({ node: "Not", expr });

/** The condition of a row that its actor has a status: in its bucket, but dormant in the one after it. */
const IS: Record<Status, Expression> = {
  new: call("isNotNull", field("created", "n")),
  returning: compare(PREVIOUS, "==", plus(field("steps", "n"), -1)),
  resurrecting: and([
    call("isNull", field("created", "n")),
    not(compare(PREVIOUS, "==", plus(field("steps", "n"), -1))),
  ])!,
  dormant: not(compare(NEXT, "==", plus(field("steps", "n"), 1))),
};

/** How many actors have each status: rows (number of the bucket, new, returning, resurrecting, dormant in the next one). */
export function lifecycleTree(plan: LifecyclePlan): Query {
  const counts = Object.entries(IS).map(([status, is]) => alias(status, call("countIf", is)));
  return select([alias("bucket", field("steps", "n")), ...counts], {
    select_from: stepsWithCreated(plan, "key"),
    group_by: [field("bucket")],
  });
}

/** Who has a status in a bucket (its number among those that are read); without one in any that is shown. */
export function lifecycleActors(plan: LifecyclePlan, { number, status }: ActorsPart): Query {
  const last = plan.line.period.buckets!.starts.length - 1;
  const isAt = (shift: number): Expression => {
    const n = field("steps", "n");
    if (number !== null) return compare(n, "==", constant(number - shift));
    return and([compare(n, ">=", constant(plan.before - shift)), compare(n, "<=", constant(last - shift))])!;
  };
  const statuses = status === null ? (Object.keys(IS) as Status[]) : [status];
  const conditions = statuses.map((one) => and([IS[one], isAt(one === "dormant" ? 1 : 0)])!);
  return select([alias("actor_id", field("steps", "actor"))], {
    distinct: true,
    select_from: stepsWithCreated(plan, "id"),
    where: conditions.length === 1 ? conditions[0]! : { node: "Or", exprs: conditions },
  });
}

export interface ActorsPart extends Pick<LifecyclePart, "status"> {
  number: number | null;
}

/** The steps, each with the row of `created` where the actor was made in its bucket and had not been active before. */
function stepsWithCreated(plan: LifecyclePlan, told: Told): Join {
  const on = and([
    compare(field("steps", "actor"), "==", field("created", "actor")),
    compare(field("steps", "n"), "==", field("created", "n")),
    compare(PREVIOUS, "==", constant(NEVER_BEFORE)),
  ]);
  const created = { ...joined(createdActors(plan, told), on, "created"), join_type: "LEFT JOIN" };
  return from(steps(plan, told), "steps", created);
}

function steps(plan: LifecyclePlan, told: Told): Query {
  const window = { partition_by: [ACTOR], order_by: [orderBy(N)] };
  const beside = (name: string, otherwise: number) => over(name, [N, constant(1), constant(otherwise)], window);
  return select(
    [ACTOR, N, alias("previous", beside("lag", NEVER_BEFORE)), alias("next", beside("lead", NEVER_AFTER))],
    { select_from: from(activity(plan, told)) },
  );
}

/** Rows (`actor`, `n`): who did something in a bucket, as a person. Where days tell the rest, what was personless is taken off. */
function activity(plan: LifecyclePlan, told: Told): Query {
  const rows = new LineRows(plan, plan.line);
  const { period } = plan.line;
  const actor = told === "key" ? rows.actors.key : rows.actors.id;
  const columns = [alias("actor", actor), alias("n", bucketNumber(period.buckets!, TIMESTAMP))];
  const conditions = [...rows.entity, ...rows.filters];
  const isOfDays = period.isOfDays && told === "key" && plan.actorGroup === null && !plan.context.aggregateByDistinctId;
  const read = (more: Expression[], counted: Expression[]) =>
    rows.select([...columns, ...counted], rows.within(period, [...rows.actors.isOne, ...more]), [ACTOR, N]);
  if (!isOfDays || !areOfDays(conditions, plan.context)) return read([not(IS_PERSONLESS)], []);
  const all = read([], [alias("events", call("count"))]);
  const personless = read([IS_PERSONLESS], [alias("events", arithmetic(constant(0), "-", call("count")))]);
  return select([ACTOR, N], {
    select_from: from(unionAll([all, personless])),
    group_by: [ACTOR, N],
    having: compare(call("sum", field("events")), ">", constant(0)),
  });
}

const IS_PERSONLESS = embedded(
  "bool",
  compare(field("person_mode"), "!=", constant("full")),
  (events) => sql`${events.personMode()} = 1`,
);

/** Rows (`actor`, `n`): the bucket in which a person or a group was made. */
function createdActors({ actorGroup, context, line: { period } }: LifecyclePlan, told: Told): Query {
  const { table, actor, at, conditions } = makers(actorGroup, context.aggregateByDistinctId === true, told);
  return select([alias("actor", actor), alias("n", bucketNumber(period.buckets!, at))], {
    select_from: from(table),
    where: and([...inSpan(at, period, context), ...conditions]),
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
