import {
  alias,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  list,
  select,
  unionAll,
} from "../../hogql/syntax/build.ts";
import type { Expression, Join, Query, Select } from "../../hogql/syntax/tree.ts";
import { ranked } from "../../insight/ranking.ts";
import { ACTOR } from "../../insight/rows.ts";
import { namesOf } from "../../insight/series.ts";
import { orByWalk, walkRows } from "../../insight/walkRows.ts";
import { cohortValue, type RetentionPlan } from "./plan.ts";
import { ACTORS, areIntervals, COHORT, REACHED, reachedRows } from "./reached.ts";
import { conditionsOf, Reading, type Want } from "./reading.ts";

/** Rows of the values of the breakdown (`k0`, `k1`, …), `cohort`, and as `reachedRows` says. */
export function reachedByKey(plan: RetentionPlan, want: Want): { keys: Expression[]; rows: Query } {
  const { cohortIds, context } = plan;
  if (cohortIds === null) {
    const reading = new Reading(plan, want, null);
    return { keys: reading.keys, rows: reachedRows(reading) };
  }
  const actor = want === "count" ? ACTORS : ACTOR;
  const sums = plan.summed === null ? [] : [0, ...plan.columns.keys().map((i) => i + 1)].map((i) => field(`v${i}`));
  const each = cohortIds.map((id) =>
    select([alias("k0", constant(cohortValue(id, context))), actor, COHORT, REACHED, ...sums], {
      select_from: from(reachedRows(new Reading(plan, want, id))),
    }),
  );
  return { keys: [field("k0")], rows: unionAll(each) };
}

/** What of `reached` says that an actor is in a column; of a cumulative one also whatever says it of a later one. */
export const isIn = (plan: RetentionPlan, column: number): Expression =>
  compare(call("bitAnd", REACHED, constant(bitsOf(plan, column))), "!=", constant(0));

function bitsOf(plan: RetentionPlan, column: number): number {
  const columns = plan.isCumulative ? plan.columns.slice(column) : [plan.columns[column]!];
  const isByInterval = areIntervals(plan);
  let bits = 0;
  for (const { from: first, to } of columns) {
    if (!isByInterval) bits += 2 ** (plan.columns.findIndex((one) => one.from === first) + 1);
    // There are no more intervals than these.
    else for (let i = first; i <= to && i < plan.cohorts.buckets!.starts.length; i++) bits += 2 ** i;
  }
  return bits;
}

/**
 * The columns of the answer's rows: `cohort`, `column` and `actors`, where there are some; with a summed property `cohort`, then
 * `c0`, `c1`, …, then of the property `v0`, `v1`, …; then the values of the breakdown.
 */
export function retentionTree(plan: RetentionPlan): Query {
  const { keys, rows } = reachedByKey(plan, "count");
  if (plan.breakdown === null && plan.summed === null) return orByWalk(cellsOf(plan, keys, rows), columnsWalk(plan));
  const ranking = { isMissingLast: false, limit: plan.breakdownLimit };
  if (plan.summed === null) {
    // Values beyond the limit are one before anything is counted by value.
    const total = call("sum", ACTORS);
    const few = ranked(rows, { keys, ctes: [] }, { ...ranking, by: [COHORT, REACHED], values: ["actors"], total });
    return cellsOf(
      plan,
      keys.map((_, i) => field(`b${i}`)),
      few,
    );
  }
  const cells = summed(plan, keys, rows);
  if (plan.breakdown === null) return cells;
  const columns = [0, ...plan.columns.map((_, i) => i + 1)];
  const values = ["c", "v"].flatMap((of) => columns.map((i) => `${of}${i}`));
  return ranked(cells, { keys, ctes: [] }, { ...ranking, by: [COHORT], values, total: call("sum", field("c0")) });
}

const shown = (name: string, value: Expression): Expression =>
  alias(name, call("toFloat", call("ifNull", value, constant(0))));

/** A row for each column that actors are in, as they are few. */
function cellsOf(plan: RetentionPlan, keys: Expression[], rows: Query): Select {
  const [column, alike] = [field("column"), field("alike")];
  const same = select([...keys, COHORT, REACHED, alias("alike", call("sum", ACTORS))], {
    select_from: from(rows),
    group_by: [...keys, COHORT, REACHED],
  });
  const bits = list(constant(0), ...plan.columns.map((_, i) => constant(bitsOf(plan, i))));
  const number = field("number");
  const own: Expression = {
    node: "ArrayAccess",
    array: bits,
    property: arithmetic(number, "+", constant(1)),
  };
  // A column of one interval has the bit of its number.
  const isPlain = plan.columns.every((_, i) => bitsOf(plan, i) === 2 ** (i + 1));
  const isReached = isPlain
    ? compare(call("bitTest", REACHED, number), "==", constant(1))
    : compare(call("bitAnd", REACHED, own), "!=", constant(0));
  const numbers: Join = { ...joined("numbers"), table_args: [constant(plan.columns.length + 1)] };
  return select([COHORT, alias("column", number), alias("actors", call("sum", alike)), ...keys], {
    select_from: from(same, undefined, numbers),
    where: { node: "Or", exprs: [compare(number, "==", constant(0)), isReached] },
    group_by: [...keys, COHORT, column],
  });
}

/** The actors in each column of each cohort; null where a walk does not tell them. */
function columnsWalk(plan: RetentionPlan): Select["instead"] | null {
  const { start, target, returning, columns, isCumulative, minimum, cohorts, isByWindows } = plan;
  const isByFilters = start === "firstOfName" && target.filters.length > 0;
  if (isByWindows || isByFilters) return null;
  const reading = new Reading(plan, "count", null);
  const one = { least: 1, most: null };
  return {
    rows: walkRows(
      reading.actor,
      [conditionsOf(target), conditionsOf(returning)],
      reading.within(namesOf([target.node, returning.node]), { isEver: start !== "each" }),
    ),
    program: {
      kind: "active",
      steps: 2,
      bucketStartsMs: cohorts.buckets!.edgesMs.slice(0, -1),
      enough: [one, { ...one, least: minimum }],
      gives: {
        kind: "returns",
        columns: columns.map(({ from, to }) => ({ from, to })),
        isCumulative,
        isFirst: start !== "each",
      },
    },
  };
}

function summed(plan: RetentionPlan, keys: Expression[], rows: Query): Query {
  const counts = [call("sum", ACTORS), ...plan.columns.map((_, i) => call("sumIf", ACTORS, isIn(plan, i)))];
  const columns = [
    ...counts.map((count, i) => shown(`c${i}`, count)),
    ...counts.map((_, i) => shown(`v${i}`, call("sum", field(`v${i}`)))),
  ];
  return select([...keys, COHORT, ...columns], { select_from: from(rows), group_by: [...keys, COHORT] });
}
