import { alias, and, call, compare, constant, field, from, select } from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { ACTOR, TIMESTAMP } from "../../insight/rows.ts";
import { AT, conditionsOf, type Reading } from "./reading.ts";
import { Steps } from "./steps.ts";

/** When actors became part of a cohort: rows of the columns of the breakdown, `actor`, `at` (its step) and `cohort` (its interval). */
export function starts(reading: Reading): Query {
  const { plan, keys } = reading;
  if (plan.start !== "each" || plan.isByWindows) return firstStarts(reading);
  const { number } = plan.steps;
  const columns = [...reading.namedKeys(), alias("actor", reading.actor), alias("at", number)];
  const each = reading.select(columns, reading.within(conditionsOf(plan.target)), [...keys, ACTOR, AT]);
  return select([...keys, ACTOR, AT, alias("cohort", AT)], { select_from: from(each) });
}

/** One for each actor: the first in the range, or the first of all where that is in the range. */
function firstStarts(reading: Reading): Query {
  const { plan, keys } = reading;
  const { target, steps, cohorts, interval, start } = plan;
  const isOfName = start === "firstOfName";
  const intervals = new Steps(cohorts.buckets!.edgesMs, interval !== "hour");
  const columns = [
    alias("actor", reading.actor),
    alias("at", call("min", steps.numberOrBefore)),
    ...(plan.isByWindows ? [alias("cohort", call("min", intervals.numberOrBefore))] : []),
  ];
  const inRange = compare(AT, ">=", constant(0));
  const where = reading.within(isOfName ? target.named : conditionsOf(target), { isEver: start !== "each" });
  const cohort = plan.isByWindows ? field("cohort") : alias("cohort", AT);
  const shown = (values: Expression[]) => [...values, ACTOR, AT, cohort];
  if (!isOfName) {
    const firsts = reading.select([...reading.namedKeys(), ...columns], where, [...keys, ACTOR], inRange);
    return select(shown(keys), { select_from: from(firsts) });
  }
  // Of several events at the first instant one that meets the filters is enough; the smallest uuid tells the breakdown.
  const isFirst = compare(
    call("minIf", TIMESTAMP, and(target.filters) ?? constant(true)),
    "==",
    call("min", TIMESTAMP),
  );
  const having = and([inRange, ...(target.filters.length === 0 ? [] : [isFirst])]);
  const order = call("tuple", TIMESTAMP, field("uuid"));
  const values = keys.length === 0 ? [] : [alias("first", call("argMin", call("tuple", ...reading.keyValues), order))];
  const firsts = reading.select([...values, ...columns], where, [ACTOR], having);
  const member = (i: number): Expression => ({ node: "TupleAccess", tuple: field("first"), index: i + 1 });
  return select(shown(reading.namedKeys(keys.map((_, i) => member(i)))), { select_from: from(firsts) });
}
