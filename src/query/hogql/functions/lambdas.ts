import { join, type Sql, sql } from "../../sql/sql.ts";
import { asCondition } from "../../value/convert.ts";
import { elementOf, mayBeNaN, type Value, value } from "../../value/types.ts";
import { type ArgumentSpec, type CallContext, type FunctionSpec, special, specOf, take } from "./spec.ts";

/** `result`, where all lists are equally long; an error of the statement where they are not. */
export function sameLength(lists: readonly Sql[], result: Sql): Sql {
  const [first, ...others] = lists;
  const differ = others.map((other) => sql`len(${first!}) <> len(${other})`);
  return sql`CASE WHEN ${join(differ, " OR ")} THEN error('Arrays must have the same length.') ELSE ${result} END`;
}

/** One list for a lambda to go over: the array itself, or the members of several beside each other. */
function together(arrays: readonly Value[]): Sql {
  const lists = arrays.map((array) => array.sql);
  return lists.length === 1 ? lists[0]! : sameLength(lists, sql`list_zip(${join(lists, ", ")})`);
}

/** What a lambda is called with: the element, or one of each array. */
function elements(parameter: Sql, arrays: readonly Value[]): Value[] {
  if (arrays.length === 1) return [value(parameter, elementOf(arrays[0]!.type), arrays)];
  return arrays.map((array, i) =>
    value(sql`struct_extract(${parameter}, ${{ parts: [String(i + 1)] }})`, elementOf(array.type), [array]),
  );
}

/** Arrays that a lambda goes over: what functions of them are made of. */
export interface Walk {
  lambda: Value;
  arrays: Value[];
  /** The lambda's value of each element, as a list. */
  mapped: Sql;
  /** Whether the lambda holds of each element, as a list of BOOLEAN. */
  tests: () => Sql;
  /** The first array's elements for which the lambda holds, or does not. */
  kept: (isWanted: boolean) => Sql;
  call: CallContext;
}

/** A function that takes a lambda and arrays; with `isOptional` the elements themselves where there is no lambda. */
export function walking(isOptional: boolean, emit: (walk: Walk) => Value): FunctionSpec {
  const specs: ArgumentSpec[] = ["lambda", "array", "array*"];
  return {
    ...specOf("scalar", specs),
    min: isOptional ? 1 : 2,
    lambda: elements,
    emit: (args, call) => {
      const isBare = isOptional && args[0]?.parameter === undefined;
      const [lambda, ...arrays] = take(isBare ? [identity(args[0]!, call), ...args] : args, specs, call);
      return emit(walk(lambda!, arrays, call));
    },
  };
}

/** `x -> x` over an array. */
function identity(array: Value, call: CallContext): Value {
  const parameter = call.fresh();
  return { ...value(parameter, elementOf(array.type)), parameter };
}

function walk(lambda: Value, arrays: Value[], call: CallContext): Walk {
  const list = together(arrays);
  const parameter = lambda.parameter!;
  const test = () => sql`coalesce(${asCondition(lambda)}, FALSE)`;
  return {
    lambda,
    arrays,
    call,
    mapped: sql`list_transform(${list}, lambda ${parameter}: ${lambda.sql})`,
    tests: () => sql`list_transform(${list}, lambda ${parameter}: ${test()})`,
    kept: (isWanted) => {
      const rows = sql`list_filter(${list}, lambda ${parameter}: ${isWanted ? test() : sql`NOT ${test()}`})`;
      if (arrays.length === 1) return rows;
      const y = call.fresh();
      return sql`list_transform(${rows}, lambda ${y}: struct_extract(${y}, 1))`;
    },
  };
}

/** A list sorted by the lambda's values, or by itself: equal ones keep their order, NaN and then NULL come last. */
export function sorted({ arrays, lambda, call }: Walk, isDescending: boolean): Sql {
  const [y, i, z] = [call.fresh(), call.fresh(), call.fresh()];
  const sign = isDescending ? sql`-` : sql``;
  const key = lambda.sql;
  const [isMissing, isNone] = [sql`(struct_extract(${y}, 'k') IS NULL)`, sql`isnan(struct_extract(${y}, 'k'))`];
  const [missing, other] = isDescending ? [sql`0`, sql`2`] : [sql`2`, sql`0`];
  const number = mayBeNaN(lambda) ? sql`CASE WHEN ${isNone} THEN 1 ELSE ${other} END` : other;
  const rank = sql`CASE WHEN ${isMissing} THEN ${missing} ELSE ${number} END`;
  const first = arrays.length === 1 ? lambda.parameter! : sql`struct_extract(${lambda.parameter!}, 1)`;
  const pairs = sql`list_transform(${together(arrays)}, lambda ${lambda.parameter!}: struct_pack(k := ${key}, v := ${first}))`;
  const keyed = sql`list_transform(${pairs}, lambda ${y}, ${i}: struct_pack(n := ${rank}, k := struct_extract(${y}, 'k'), i := ${sign}${i}, v := struct_extract(${y}, 'v')))`;
  const order = isDescending ? sql`, 'DESC'` : sql`, 'ASC'`;
  return sql`list_transform(list_sort(${keyed}${order}), lambda ${z}: struct_extract(${z}, 'v'))`;
}

/** `arrayFold((acc, x) -> …, xs, start)`. */
export const arrayFold: FunctionSpec = {
  ...special(["lambda", "array", "any"], ([lambda, list, start]) => {
    const [x, acc] = [sql`${lambda!.parameter!}_x`, lambda!.parameter!];
    const folded = sql`list_reduce(${list!.sql}, lambda ${acc}, ${x}: ${lambda!.sql}, ${start!.sql})`;
    return value(folded, start!.type, [lambda!, list!, start!]);
  }),
  lambda: (parameter, [list, start]) =>
    list === undefined || start === undefined
      ? []
      : [value(parameter, start.type, [start]), value(sql`${parameter}_x`, elementOf(list.type), [list])],
};
