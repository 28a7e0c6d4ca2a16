import { alias, and, arithmetic, call, constant, from, select } from "../hogql/syntax/build.ts";
import type { Expression, Select } from "../hogql/syntax/tree.ts";
import { TIMESTAMP } from "./rows.ts";

/** A row has no more steps. */
export const MAX_STEPS = 30;

/** The number whose bits say which of the conditions hold. */
export function maskOf(conditions: readonly Expression[][]): Expression {
  const bits = conditions.map((all, i) => {
    const condition = and(all);
    return condition === null ? constant(2 ** i) : call("if", condition, constant(2 ** i), constant(0));
  });
  return bits.reduce((sum, bit) => arithmetic(sum, "+", bit));
}

/** The rows of a walk: events of `actor` that meet `where`, and which of the conditions each meets. */
export const walkRows = (actor: Expression, steps: readonly Expression[][], where: Expression | null): Select =>
  select([alias("actor", actor), alias("timestamp", TIMESTAMP), alias("steps", maskOf(steps))], {
    select_from: from("events"),
    where,
  });

/** A SELECT, and a walk that gives the same, if there is one. */
export const orByWalk = (plain: Select, instead: Select["instead"] | null): Select =>
  instead == null ? plain : { ...plain, instead };
