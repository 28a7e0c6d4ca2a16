import { HogqlError } from "../../shape/errors.ts";
import { join, sql } from "../../sql/sql.ts";
import { compare, inList } from "../../value/compare.ts";
import { asCondition } from "../../value/convert.ts";
import { elementOf, orZero, typeOf, type Value, value } from "../../value/types.ts";
import { unify } from "../../value/unify.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

/** CASE over (condition, value) pairs and a last value. */
function choose(args: Value[], call: CallContext): Value {
  if (args.length % 2 === 0)
    throw new HogqlError(`Function '${call.name}' expects pairs of a condition and a value, and a last value.`);
  const branches = args.filter((_, i) => i % 2 === 1 || i === args.length - 1);
  const { values, type } = unify(branches, call);
  const whens = values.slice(0, -1).map((branch, i) => {
    return sql`WHEN ${asCondition(args[2 * i]!)} THEN ${branch.sql}`;
  });
  return value(sql`CASE ${join(whens, " ")} ELSE ${values.at(-1)!.sql} END`, { ...type, isJson: undefined }, args);
}

/** The last value is no condition. */
const isTest = (index: number, count: number): boolean => index % 2 === 0 && index < count - 1;

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
  return choose(
    rest.map((part, i) => (isTest(i, rest.length) ? compare("==", subject!, part, true, call) : part)),
    call,
  );
}

/** `transform(x, [from, …], [to, …], otherwise)`: what stands opposite in the second list. */
const transform = special(["any", "array", "array", "any?"], ([x, from, to, otherwise], call) => {
  const [left] = unify([x!, value(from!.sql, elementOf(from!.type))], call).values;
  const found = sql`list_extract(${to!.sql}, list_position(${from!.sql}, ${left!.sql}))`;
  const last = otherwise ?? x!;
  const { values, type } = unify([value(found, elementOf(to!.type)), last], call);
  return value(
    sql`CASE WHEN list_contains(${from!.sql}, ${left!.sql}) THEN ${values[0]!.sql} ELSE ${values[1]!.sql} END`,
    type,
    [x!, from!, to!, last],
  );
});

/** `in(x, xs)` of an array or a tuple. */
const membership = (isNegated: boolean): FunctionSpec =>
  special(["any", "any"], ([x, list], call) => {
    const members = list!.members ?? (list!.type.kind === "array" ? null : [list!]);
    if (members !== null) return inList(x!, members, isNegated, false, call);
    const { values } = unify([x!, value(list!.sql, elementOf(list!.type))], call);
    const found = sql`coalesce(list_contains(${list!.sql}, ${values[0]!.sql}), FALSE)`;
    return value(isNegated ? sql`(NOT ${found})` : found, typeOf("bool"), [x!, list!]);
  });

const comparison = (op: string): FunctionSpec =>
  special(["any", "any"], ([left, right], call) => compare(op, left!, right!, false, call));

/** Choices, tests and comparisons. */
export const CONDITIONS: Record<string, FunctionSpec> = {
  if: { ...special(["any", "any", "any"], choose), isCondition: (index) => index === 0 },
  multiIf: {
    ...special(["any", "any", "any", "any*"], choose),
    isCondition: (index, _, count) => isTest(index, count),
  },
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
  /** The type's zero stands for NULL. */
  assumeNotNull: special(["any"], ([x]) => (x!.type.nullable ? orZero(x!) : x!)),
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
  in: membership(false),
  notIn: membership(true),
  xor: scalar(["bool", "bool"], "bool", (a, b) => sql`(${a} <> ${b})`),
  isZeroOrNull: scalar(["number"], "bool", (x) => sql`(coalesce(${x}, 0) = 0)`, false),
  isDistinctFrom: scalar(["any", "any"], "bool", (a, b) => sql`(${a} IS DISTINCT FROM ${b})`, false),
  isNotDistinctFrom: scalar(["any", "any"], "bool", (a, b) => sql`(${a} IS NOT DISTINCT FROM ${b})`, false),
  transform,
};
