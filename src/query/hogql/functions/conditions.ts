import { HogqlError } from "../../errors.ts";
import { join, sql } from "../../sql.ts";
import { compare } from "../compare.ts";
import { unify } from "../convert.ts";
import { type Value, value } from "../types.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

/** CASE over (condition, value) pairs and a last value. */
function choose(args: Value[], call: CallContext): Value {
  if (args.length % 2 === 0)
    throw new HogqlError(`Function '${call.name}' expects pairs of a condition and a value, and a last value.`);
  const branches = args.filter((_, i) => i % 2 === 1 || i === args.length - 1);
  const { values, type } = unify(branches, call);
  const whens = values.slice(0, -1).map((branch, i) => {
    const condition = CONDITION.emit([args[2 * i]!], call, null).sql;
    return sql`WHEN ${condition} THEN ${branch.sql}`;
  });
  return value(sql`CASE ${join(whens, " ")} ELSE ${values.at(-1)!.sql} END`, { ...type, isJson: undefined }, args);
}

const CONDITION = scalar(["condition"], "bool", (condition) => condition);

function firstKnown(args: Value[], call: CallContext): Value {
  const { values, type } = unify(args, call);
  const nullable = values.every((argument) => argument.type.nullable);
  return value(
    sql`coalesce(${join(
      values.map((argument) => argument.sql),
      ", ",
    )})`,
    { ...type, nullable },
    args,
  );
}

/** A condition that is wholly in a deciding place decides there itself. */
const inherits = (_index: number, isPositive: boolean): boolean => isPositive;

/** `CASE x WHEN a THEN b … ELSE c END`, as the parser writes it: x, a, b, …, c. */
function chooseEqual([subject, ...rest]: Value[], call: CallContext): Value {
  const isTest = (i: number): boolean => i % 2 === 0 && i < rest.length - 1;
  return choose(
    rest.map((part, i) => (isTest(i) ? compare("==", subject!, part, true, call) : part)),
    call,
  );
}

const comparison = (op: string): FunctionSpec =>
  special(["any", "any"], ([left, right], call) => compare(op, left!, right!, false, call));

/** Choices, tests and comparisons. */
export const CONDITIONS: Record<string, FunctionSpec> = {
  if: { ...special(["any", "any", "any"], choose), isCondition: (index) => index === 0 },
  multiIf: { ...special(["any", "any", "any", "any*"], choose), isCondition: (index) => index % 2 === 0 },
  _caseWithExpression: special(["any", "any", "any", "any*"], chooseEqual),
  ifNull: special(["any", "any"], firstKnown),
  coalesce: special(["any", "any*"], firstKnown),
  nullIf: special(["any", "any"], ([left, right], call) => {
    const isEqual = compare("==", left!, right!, true, call).sql;
    return value(sql`CASE WHEN ${isEqual} THEN NULL ELSE ${left!.sql} END`, { ...left!.type, nullable: true }, [
      left!,
      right!,
    ]);
  }),
  isNull: scalar(["any"], "bool", (x) => sql`(${x} IS NULL)`, false),
  isNotNull: scalar(["any"], "bool", (x) => sql`(${x} IS NOT NULL)`, false),
  assumeNotNull: special(["any"], ([x]) => ({ ...x!, type: { ...x!.type, nullable: false } })),
  and: {
    ...scalar(["condition", "condition*"], "bool", (...xs) => sql`(${join(xs, " AND ")})`),
    isCondition: inherits,
  },
  or: { ...scalar(["condition", "condition*"], "bool", (...xs) => sql`(${join(xs, " OR ")})`), isCondition: inherits },
  not: scalar(["condition"], "bool", (x) => sql`(NOT ${x})`),
  equals: comparison("=="),
  notEquals: comparison("!="),
  less: comparison("<"),
  lessOrEquals: comparison("<="),
  greater: comparison(">"),
  greaterOrEquals: comparison(">="),
  like: comparison("like"),
  notLike: comparison("not like"),
  ilike: comparison("ilike"),
  notILike: comparison("not ilike"),
  match: comparison("=~"),
};
