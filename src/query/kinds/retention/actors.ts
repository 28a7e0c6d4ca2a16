import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import {
  alias,
  and,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  list,
  select,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { breakdownOptions, type Options, PART_FIELDS, valuesAre } from "../../insight/behind.ts";
import { placesOf } from "../../insight/ranking.ts";
import { ACTOR } from "../../insight/rows.ts";
import { invalidPart } from "../../shape/errors.ts";
import { checkPart, object, optional } from "../../shape/shapes.ts";
import type { QueryContext } from "../../source/context.ts";
import type { ActorRows } from "../kind.ts";
import { periodName } from "./axis.ts";
import type { RetentionQuery } from "./node.ts";
import type { RetentionPlan } from "./plan.ts";
import { COHORT, REACHED } from "./reached.ts";
import { plannedRetention, runRetention } from "./run.ts";
import { isIn, reachedByKey } from "./tree.ts";

const Value = Type.Union([Type.String(), Type.Number()]);

/**
 * What names a part of the answer: the number of the cohort, the value of the breakdown, and the column; all of them where one is
 * absent.
 */
const PartSchema = object({
  ...PART_FIELDS,
  interval: optional(Type.Integer({ minimum: 0 })),
  column: optional(Type.Integer({ minimum: 0 })),
  breakdown: optional(Type.Union([Value, Type.Array(Value, { maxItems: 3 })])),
});

/**
 * The actors of a cohort, each with `appearances` (the columns of the answer that he counts in) and a column for each of them (`day_0`, …),
 * which says whether he does; with `column` those alone who count in it. Errors: TerminalError `invalid_query`.
 */
export async function actorsBehind(query: RetentionQuery, part: JsonObject, context: QueryContext): Promise<ActorRows> {
  const { interval = null, breakdown = null, column = null } = checkPart(PartSchema, part);
  const plan = await plannedRetention(query, context);
  const { keys, rows } = reachedByKey(plan, "actors");
  const cohorts = plan.cohorts.buckets!.starts.length;
  if (interval !== null && interval >= cohorts) {
    throw invalidPart("interval", `there are ${cohorts} cohorts, from 0 on`);
  }
  if (column !== null && column > plan.columns.length) {
    throw invalidPart("column", `there are ${plan.columns.length + 1} columns, from 0 on`);
  }
  const ofValue = valuesAre(keys, breakdown);
  const conditions = [...(interval === null ? [] : [compare(COHORT, "==", constant(interval))]), ...(ofValue ?? [])];
  const all = ofValue === null ? restOf(plan, keys, rows) : rows;
  const own = select([ACTOR, alias("reached", call("groupBitOr", REACHED))], {
    select_from: from(all),
    where: and(conditions),
    group_by: [ACTOR],
  });
  const flags = [constant(true), ...plan.columns.map((_, i) => isIn(plan, i))];
  const unit = periodName(query.retentionFilter).toLowerCase();
  const shown = flags.map((flag, i) => alias(`${unit}_${i}`, flag));
  return {
    query: select([alias("actor_id", ACTOR), alias("appearances", numbersOf(flags)), ...shown], {
      select_from: from(own),
      where: column === null || column === 0 ? null : isIn(plan, column - 1),
    }),
    group: plan.actorGroup,
    columns: ["appearances", ...flags.map((_, i) => `${unit}_${i}`)],
  };
}

/** The numbers of the conditions that hold. */
function numbersOf(flags: readonly Expression[]): Expression {
  const number: Expression = field("n");
  const isOne: Expression = { node: "Lambda", args: ["n"], expr: compare(number, ">=", constant(0)) };
  return call("arrayFilter", isOne, list(...flags.map((flag, i) => call("if", flag, constant(i), constant(-1)))));
}

/** The rows of the values of the breakdown that are beyond the limit. */
function restOf(plan: RetentionPlan, keys: Expression[], rows: Query): Query {
  const size = call("count");
  const on = and(keys.map((_, i) => compare(field("measure", `k${i}`), "==", field("places", `p${i}`))));
  return select([ACTOR, COHORT, REACHED], {
    ctes: [withQuery("measure", rows), withQuery("places", placesOf(keys, size, false))],
    select_from: from("measure", undefined, joined("places", on)),
    where: compare(field("place"), ">", constant(plan.breakdownLimit)),
  });
}

/** The cohorts, and the values of the breakdown, that can be asked for. Errors: as of `runRetention`. */
export async function partsOf(query: RetentionQuery, context: QueryContext): Promise<Options> {
  const { results } = await runRetention(query, context);
  const cohorts = Map.groupBy(results, ({ label }) => label);
  return {
    interval: [...cohorts.keys()].map((label, value) => ({ label, value })),
    ...breakdownOptions(results),
  };
}
