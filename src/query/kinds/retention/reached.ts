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
  over,
  select,
  withQuery,
} from "../../hogql/syntax/build.ts";
import type { Expression, Join, Query } from "../../hogql/syntax/tree.ts";
import { ACTOR, TIMESTAMP, VALUE } from "../../insight/rows.ts";
import { MAX_COLUMNS } from "./axis.ts";
import type { RetentionPlan } from "./plan.ts";
import { AT, conditionsOf, isOf, ofEntity, type Reading } from "./reading.ts";
import { starts } from "./starts.ts";

// The columns in which an actor of a cohort came back are bits of one number, `reached`. Where a range has few intervals, and
// neither windows nor sums are asked for, the intervals of an actor are bits of one number, too, and a cohort's columns are
// found by shifting it. Else each start is joined with each return.

export const [COHORT, REACHED, ACTORS] = ["cohort", "reached", "actors"].map((one) => field(one)) as [
  Expression,
  Expression,
  Expression,
];

/** Whether `reached` has a bit for each interval behind the cohort's, else for each column. */
export const areIntervals = ({ cohorts, isByWindows, summed }: RetentionPlan): boolean =>
  cohorts.buckets!.starts.length <= MAX_COLUMNS && !isByWindows && summed === null;

/**
 * Rows of the columns of the breakdown, `actor`, `cohort` and `reached`. Where only numbers are wanted, `actors` (how many there
 * are) takes the place of `actor`. Where a property is summed, `v0`, `v1`, … are its sums by column.
 */
export function reachedRows(reading: Reading): Query {
  if (!areIntervals(reading.plan)) return byPairs(reading);
  return reading.plan.start === "each" ? ofEachStart(reading) : ofFirstStarts(reading);
}

/** A row for each interval in which an actor started: it is the cohort, and later intervals are shifted down to it. Actors with equal bits are counted together first. */
function ofEachStart(reading: Reading): Query {
  const { plan, keys, want } = reading;
  const bits = plan.areSame && plan.minimum === 1 ? ["starts"] : ["starts", "returns"];
  const by = [...keys, ...bits.map((name) => field(name))];
  const actors = bitsOfActors(reading);
  const isCounted = want === "count";
  const alike = select([...by, alias("actors", call("count"))], { select_from: from(actors), group_by: by });
  const number = field("number");
  const numbers: Join = { ...joined("numbers"), table_args: [constant(plan.cohorts.buckets!.starts.length)] };
  const later = call("bitShiftRight", field(bits.at(-1)!), number);
  const who = isCounted ? ACTORS : ACTOR;
  return select([...keys, who, alias("cohort", number), alias("reached", later)], {
    ctes: reading.ctes,
    select_from: from(isCounted ? alike : actors, undefined, numbers),
    where: compare(call("bitTest", field("starts"), number), "==", constant(1)),
  });
}

/** The column `actor`, or `actors` with 1 where only numbers are wanted. */
const told = ({ want }: Reading, actor: Expression): Expression =>
  want === "count" ? alias("actors", constant(1)) : alias("actor", actor);

/** Zero where there is no number. */
const orNone = (number: Expression): Expression => call("ifNull", number, constant(0));

/** The intervals in which each actor started and came back: `starts` and `returns`. */
function bitsOfActors(reading: Reading): Query {
  const { plan, keys, want } = reading;
  const { target, returning, steps, areSame, minimum } = plan;
  const actor = alias("actor", reading.actor);
  const [shown, by] = want === "count" ? [[], reading.actor] : [[actor], ACTOR];
  if (minimum === 1) {
    const bits = areSame
      ? [alias("starts", call("groupBitOr", steps.bit))]
      : [
          alias("starts", orNone(ofEntity("groupBitOr", [steps.bit], target))),
          alias("returns", orNone(ofEntity("groupBitOr", [steps.bit], returning))),
        ];
    return reading.select([...reading.namedKeys(), ...shown, ...bits], reading.ofBoth(), [...keys, by]);
  }
  const counts = [alias("started", ofEntity("count", [], target)), alias("returned", ofEntity("count", [], returning))];
  const columns = [...reading.namedKeys(), actor, alias("at", steps.number), ...counts];
  const seen = reading.select(columns, reading.ofBoth(), [...keys, ACTOR, AT]);
  const bit = call("bitShiftLeft", constant(1), AT);
  const bits = (name: string, least: number) =>
    orNone(call("groupBitOrIf", bit, compare(field(name), ">=", constant(least))));
  return select(
    [
      ...keys,
      ...(want === "count" ? [] : [ACTOR]),
      alias("starts", bits("started", 1)),
      alias("returns", bits("returned", minimum)),
    ],
    { select_from: from(seen), group_by: [...keys, ACTOR] },
  );
}

/** Each actor's first start beside the intervals of the returns. */
function ofFirstStarts(reading: Reading): Query {
  const { plan } = reading;
  const keys = keysOfReturns(reading);
  const bits =
    plan.minimum === 1
      ? reading.select(
          [
            ...named(reading, keys),
            alias("actor", reading.actor),
            alias("returns", call("groupBitOr", plan.steps.bit)),
          ],
          reading.within(conditionsOf(plan.returning)),
          [...keys, ACTOR],
        )
      : select([...keys, ACTOR, alias("returns", call("groupBitOr", call("bitShiftLeft", constant(1), AT)))], {
          select_from: from(returnsByStep(reading)),
          where: compare(field("times"), ">=", constant(plan.minimum)),
          group_by: [...keys, ACTOR],
        });
  const later = call("bitShiftRight", field("r", "returns"), field("s", "at"));
  return select(
    [
      ...shownKeys(reading),
      told(reading, field("s", "actor")),
      alias("cohort", field("s", "cohort")),
      alias("reached", orNone(later)),
    ],
    {
      ctes: [...reading.ctes, withQuery("starts", starts(reading)), withQuery("returning", bits)],
      select_from: besides(keys, "returning", []),
    },
  );
}

/** The first event of a name tells the value of the breakdown for all that comes after. */
const keysOfReturns = ({ plan, keys }: Reading): Expression[] => (plan.start === "firstOfName" ? [] : keys);

const named = (reading: Reading, keys: readonly Expression[]): Expression[] =>
  keys.length === 0 ? [] : reading.namedKeys();

const shownKeys = ({ keys }: Reading): Expression[] => keys.map((_, i) => alias(`k${i}`, field("s", `k${i}`)));

/** Starts, and beside each the rows of its actor's returns, if there are any. */
function besides(keys: readonly Expression[], returns: string, more: Expression[]): Join {
  const same = (name: string) => compare(field("s", name), "==", field("r", name));
  const on = and([same("actor"), ...keys.map((_, i) => same(`k${i}`)), ...more]);
  return from("starts", "s", { ...joined(returns, on, "r"), join_type: "LEFT JOIN" });
}

/** Each start beside each return. */
function byPairs(reading: Reading): Query {
  const { plan, keys } = reading;
  const { columns, summed, minimum } = plan;
  const column = columnOf(plan, field("past"));
  const isReturn = compare(field("times"), ">=", constant(minimum));
  const bits = call("groupBitOrIf", call("bitShiftLeft", constant(1), column), isReturn);
  const sum = (name: string, when: Expression) => orNone(call("sumIf", field(name), when));
  const sums =
    summed === null
      ? []
      : [
          alias("v0", sum("own", compare(field("past"), "==", constant(0)))),
          ...columns.map((_, i) =>
            alias(`v${i + 1}`, sum("total", and([compare(column, "==", constant(i + 1)), isReturn])!)),
          ),
        ];
  return select([...keys, told(reading, ACTOR), COHORT, alias("reached", orNone(bits)), ...sums], {
    select_from: from(pairs(reading)),
    group_by: [...keys, ACTOR, COHORT],
  });
}

/** Rows of the columns of the breakdown, `actor`, `cohort`, `past` (the intervals from the start on, NULL without a return) and what is counted. */
function pairs(reading: Reading): Query {
  const { plan, keys } = reading;
  const { columns, summed, stepsPerInterval, isByWindows } = plan;
  const [startedAt, at] = [field("s", "at"), field("r", "at")];
  const steps = constant(((columns.at(-1)?.to ?? 0) + 1) * stepsPerInterval);
  const past = arithmetic(at, "-", startedAt);
  const counted = summed === null ? ["times"] : ["times", "total", "own"];
  const value = (name: string): Expression => {
    const own = field("r", name);
    return alias(name, isByWindows ? call("sum", own) : own);
  };
  return select(
    [
      ...shownKeys(reading),
      alias("actor", field("s", "actor")),
      alias("cohort", field("s", "cohort")),
      alias("past", isByWindows ? call("intDiv", past, constant(stepsPerInterval)) : past),
      ...counted.map(value),
    ],
    {
      ctes: [...reading.ctes, withQuery("starts", starts(reading)), withQuery("returning", returnsByStep(reading))],
      select_from: besides(keysOfReturns(reading), "returning", [
        compare(at, ">=", startedAt),
        compare(at, "<", arithmetic(startedAt, "+", steps)),
      ]),
      group_by: isByWindows ? [...keys, ACTOR, COHORT, field("past")] : null,
    },
  );
}

/** Rows of the columns of the breakdown, `actor`, `at` (a step), `times`, and of a summed property `total` and `own`, as the cohort itself has it. */
function returnsByStep(reading: Reading): Query {
  const { plan } = reading;
  const { steps, returning, target, summed, areSame } = plan;
  const keys = keysOfReturns(reading);
  const columns = [...named(reading, keys), alias("actor", reading.actor), alias("at", steps.number)];
  const by = [...keys, ACTOR, AT];
  if (summed === null || areSame) {
    const total = summed === null ? [] : ["total", "own"].map((name) => alias(name, call("sum", summed.number)));
    const times = alias("times", call("count"));
    return reading.select([...columns, times, ...total], reading.within(conditionsOf(returning)), by);
  }
  // In the interval of the cohort only what comes behind the first start counts.
  const moment = call("toUnixTimestamp64Milli", TIMESTAMP);
  const events = reading.select(
    [
      ...columns,
      alias("moment", moment),
      alias("isStart", isOf(target)),
      alias("isReturn", isOf(returning)),
      alias("value", summed.number),
    ],
    reading.ofBoth(),
    [],
  );
  const started = over("min", [call("if", field("isStart"), field("moment"), constant(null))], { partition_by: by });
  const beside = select([...by, field("moment"), field("isReturn"), VALUE, alias("started", started)], {
    select_from: from(events),
  });
  const isLater = and([field("isReturn"), compare(field("moment"), ">", field("started"))])!;
  return select(
    [
      ...by,
      alias("times", call("countIf", field("isReturn"))),
      alias("total", call("sumIf", VALUE, field("isReturn"))),
      alias("own", orNone(call("sumIf", VALUE, isLater))),
    ],
    { select_from: from(beside), group_by: by },
  );
}

/** The column that so many intervals behind a start are in. */
function columnOf({ query, columns }: RetentionPlan, past: Expression): Expression {
  if (!query.retentionFilter.retentionCustomBrackets?.length) return past;
  const cases = columns.flatMap(({ to }, i) => [compare(past, "<=", constant(to)), constant(i + 1)]);
  return call("multiIf", compare(past, "<=", constant(0)), constant(0), ...cases, constant(null));
}
