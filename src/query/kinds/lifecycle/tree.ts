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
  orderBy,
  over,
  select,
  unionAll,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Cte, Expression, Query } from "../../hogql/syntax/tree.ts";
import { inSpan } from "../../insight/axis.ts";
import { areOfDays } from "../../insight/lines.ts";
import { bucketNumber } from "../../insight/numbers.ts";
import { ACTOR, LineRows, TIMESTAMP } from "../../insight/rows.ts";
import { sql } from "../../sql/sql.ts";
import type { LifecyclePart, Status } from "./node.ts";
import type { LifecyclePlan } from "./plan.ts";

// A row is an actor in a bucket in which he was active, with the numbers of the buckets before and after it in which he was,
// too, and whether he was made in it. All statuses follow from one such row.

const [N, PREVIOUS, NEXT, MADE] = ["n", "previous", "next", "made"].map((name) => field(name)) as [
  Expression,
  Expression,
  Expression,
  Expression,
];
/** No bucket is next to these. */
const [NEVER_BEFORE, NEVER_AFTER] = [-2, -1];

/** Whether an actor is shown, or only told apart from others, which is cheaper. */
type Told = "key" | "id";

const plus = (number: Expression, by: number): Expression => arithmetic(number, "+", constant(by));
const positive = (number: Expression): Expression => compare(number, ">", constant(0));

/** The condition of a row that its actor has a status: in its bucket, but dormant in the one after it. */
const IS: Record<Status, Expression> = {
  new: and([positive(MADE), compare(PREVIOUS, "==", constant(NEVER_BEFORE))])!,
  returning: compare(PREVIOUS, "==", plus(N, -1)),
  resurrecting: and([
    compare(PREVIOUS, "!=", plus(N, -1)),
    or([compare(PREVIOUS, "!=", constant(NEVER_BEFORE)), compare(MADE, "==", constant(0))]),
  ])!,
  dormant: compare(NEXT, "!=", plus(N, 1)),
};

/** How many actors have each status: rows (number of the bucket, new, returning, resurrecting, dormant in the next one). */
export function lifecycleTree(plan: LifecyclePlan): Query {
  const counts = Object.entries(IS).map(([status, is]) => alias(status, call("countIf", is)));
  return select([N, ...counts], { ctes: withSteps(plan, "key"), select_from: from("steps"), group_by: [N] });
}

/** Who has a status in a bucket (its number among those that are read); without one in any that is shown. */
export function lifecycleActors(plan: LifecyclePlan, { number, status }: ActorsPart): Query {
  const last = plan.line.period.buckets!.starts.length - 1;
  const isAt = (shift: number): Expression => {
    if (number !== null) return compare(N, "==", constant(number - shift));
    return and([compare(N, ">=", constant(plan.before - shift)), compare(N, "<=", constant(last - shift))])!;
  };
  const statuses = status === null ? (Object.keys(IS) as Status[]) : [status];
  return select([alias("actor_id", ACTOR)], {
    ctes: withSteps(plan, "id"),
    distinct: true,
    select_from: from("steps"),
    where: or(statuses.map((one) => and([IS[one], isAt(one === "dormant" ? 1 : 0)])!)),
  });
}

export interface ActorsPart extends Pick<LifecyclePart, "status"> {
  number: number | null;
}

function or(conditions: Expression[]): Expression {
  return conditions.length === 1 ? conditions[0]! : { node: "Or", exprs: conditions };
}

/** `steps`, by way of names: what nests in brackets takes long to parse, where somebody asks the text. */
function withSteps(plan: LifecyclePlan, told: Told): Cte[] {
  const window = { partition_by: [ACTOR], order_by: [orderBy(N)] };
  const beside = (name: string, otherwise: number) => over(name, [N, constant(1), constant(otherwise)], window);
  const columns = [alias("previous", beside("lag", NEVER_BEFORE)), alias("next", beside("lead", NEVER_AFTER))];
  const active = select([ACTOR, N, alias("made", call("max", MADE))], {
    select_from: from("seen"),
    group_by: [ACTOR, N],
    having: positive(call("sum", field("events"))),
  });
  return [
    withQuery("seen", unionAll([...activity(plan, told), createdActors(plan, told)])),
    withQuery("active", active),
    withQuery("steps", select([ACTOR, N, MADE, ...columns], { select_from: from("active") })),
  ];
}

/** Rows of who did how many things in a bucket as a person. Where days tell the rest, what was personless is taken off. */
function activity(plan: LifecyclePlan, told: Told): Query[] {
  const rows = new LineRows(plan, plan.line);
  const { period } = plan.line;
  const actor = told === "key" ? rows.actors.key : rows.actors.id;
  const read = (more: Expression[], events: Expression) =>
    rows.select(
      rowOf({ actor, n: bucketNumber(period.buckets!, TIMESTAMP), events, made: constant(0) }),
      rows.within(period, [...rows.actors.isOne, ...more]),
      [ACTOR, N],
    );
  const isPerson = told === "key" && plan.actorGroup === null && !plan.context.aggregateByDistinctId;
  if (isPerson && period.isOfDays && areOfDays([...rows.entity, ...rows.filters], plan.context)) {
    return [read([], call("count")), read([isPersonless(true)], arithmetic(constant(0), "-", call("count")))];
  }
  return [read([isPersonless(false)], call("count"))];
}

const rowOf = (o: Record<"actor" | "n" | "events" | "made", Expression>): Expression[] =>
  Object.entries(o).map(([name, value]) => alias(name, value));

const isPersonless = (isIt: boolean): Expression =>
  embedded("bool", compare(field("person_mode"), isIt ? "!=" : "==", constant("full")), (events) => {
    return isIt ? sql`${events.personMode()} = 1` : sql`${events.personMode()} = 0`;
  });

/** Rows of the bucket in which a person or a group was made. */
function createdActors({ actorGroup, context, line: { period } }: LifecyclePlan, told: Told): Query {
  const { table, actor, at, conditions } = makers(actorGroup, context.aggregateByDistinctId === true, told);
  return select(rowOf({ actor, n: bucketNumber(period.buckets!, at), events: constant(0), made: constant(1) }), {
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
