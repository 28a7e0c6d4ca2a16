import { alias, call, compare, constant, field, from, select, unionAll } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { ranked } from "../../insight/ranking.ts";
import { ACTOR } from "../../insight/rows.ts";
import { cohortValue, type RetentionPlan } from "./plan.ts";
import { ACTORS, areIntervals, COHORT, REACHED, reachedRows } from "./reached.ts";
import { Reading, type Want } from "./reading.ts";

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
export function isIn(plan: RetentionPlan, column: number): Expression {
  const columns = plan.isCumulative ? plan.columns.slice(column) : [plan.columns[column]!];
  const isByInterval = areIntervals(plan);
  let bits = 0;
  for (const { from: first, to } of columns) {
    if (!isByInterval) bits += 2 ** (plan.columns.findIndex((one) => one.from === first) + 1);
    // There are no more intervals than these.
    else for (let i = first; i <= to && i < plan.cohorts.buckets!.starts.length; i++) bits += 2 ** i;
  }
  return compare(call("bitAnd", REACHED, constant(bits)), "!=", constant(0));
}

/** The columns of the answer's rows: `cohort`, then `c0`, `c1`, …, then of a summed property `v0`, `v1`, …, then the values of the breakdown. */
export function retentionTree(plan: RetentionPlan): Query {
  const { keys, rows } = reachedByKey(plan, "count");
  const counts = [call("sum", ACTORS), ...plan.columns.map((_, i) => call("sumIf", ACTORS, isIn(plan, i)))];
  const sums = plan.summed === null ? [] : counts.map((_, i) => call("sum", field(`v${i}`)));
  const names = [...counts.map((_, i) => `c${i}`), ...sums.map((_, i) => `v${i}`)];
  const values = [...counts, ...sums].map((value, i) => alias(`${names[i]}`, call("toFloat", value)));
  const cells = select([...keys, COHORT, ...values], { select_from: from(rows), group_by: [...keys, COHORT] });
  if (keys.length === 0) return cells;
  return ranked(
    cells,
    { keys, ctes: [] },
    {
      by: [COHORT],
      values: names,
      total: call("sum", field("c0")),
      isMissingLast: false,
      limit: plan.breakdownLimit,
    },
  );
}
