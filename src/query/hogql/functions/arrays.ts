import { HogqlError } from "../../shape/errors.ts";
import { bind, integer, join, type Sql, sql } from "../../sql/sql.ts";
import { elementAt, tupleOfValues } from "../../value/access.ts";
import { asText } from "../../value/convert.ts";
import {
  arrayOf,
  elementOf,
  optional,
  orZero,
  type Type,
  tupleOf,
  typeOf,
  type Value,
  value,
} from "../../value/types.ts";
import { arrayOfValues, unify } from "../../value/unify.ts";
import { aggregateOf } from "./aggregates.ts";
import { among, distinct, filling, hasNull, resized, slice, splitting } from "./arrayParts.ts";
import { bound } from "./bound.ts";
import { arrayFold, sameLength, sorted, type Walk, walking } from "./lambdas.ts";
import { atMost } from "./sizes.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

const INT = typeOf("int");

const ofWalk = (written: Sql, type: Type, { lambda, arrays }: Walk): Value => value(written, type, [lambda, ...arrays]);

/** An aggregate over the lambda's values. */
const over = (name: "sum" | "avg" | "min" | "max" | "median"): FunctionSpec =>
  walking(true, (walk) => {
    const list = ofWalk(walk.mapped, arrayOf(walk.lambda.type), walk);
    return orZero(aggregateOf(name, list, walk.call));
  });

/** The first element, or the last, for which the lambda holds. */
const found = (isLast: boolean, orNull: boolean): FunctionSpec =>
  walking(false, (walk) => {
    const first = sql`list_extract(${walk.kept(true)}, ${integer(isLast ? -1 : 1)})`;
    const element = ofWalk(first, optional(elementOf(walk.arrays[0]!.type)), walk);
    return orNull ? element : orZero(element);
  });

const foundIndex = (isLast: boolean): FunctionSpec =>
  walking(false, (walk) => {
    const { call } = walk;
    if (!isLast) return ofWalk(sql`coalesce(list_position(${walk.tests()}, TRUE), 0)`, INT, walk);
    const index = bound(
      walk.tests(),
      call,
      (tests) => sql`len(${tests}) + 1 - list_position(list_reverse(${tests}), TRUE)`,
    );
    return ofWalk(sql`coalesce(${index}, 0)`, INT, walk);
  });

const sortedBy = (isDescending: boolean): FunctionSpec =>
  walking(true, (walk) => ofWalk(sorted(walk, isDescending), walk.arrays[0]!.type, walk));

/** Runs of the lambda's values, each from its neighbours: `write` of the list, an element and its place. */
const running = (type: (of: Type) => Type, write: (list: Sql, x: Sql, i: Sql) => Sql): FunctionSpec =>
  walking(true, (walk) => {
    const { call } = walk;
    const [x, i] = [call.fresh(), call.fresh()];
    const written = bound(
      walk.mapped,
      call,
      (list) => sql`list_transform(${list}, lambda ${x}, ${i}: ${write(list, x, i)})`,
    );
    return ofWalk(written, arrayOf(type(walk.lambda.type)), walk);
  });

/** Arrays and a value brought to one type of elements. */
function withElement(array: Value, element: Value, call: CallContext): { array: Sql; element: Sql; type: Type } {
  const own = elementOf(array.type);
  const { values, type } = unify([value(array.sql, own), element], call);
  return { array: array.sql, element: values[1]!.sql, type: own.kind === "null" ? type : own };
}

const added = (write: (xs: Sql, x: Sql) => Sql): FunctionSpec =>
  special(["array", "any"], ([xs, x], call) => {
    const { array, element, type } = withElement(xs!, x!, call);
    return value(write(array, element), arrayOf(type), [xs!, x!]);
  });

const search = (type: "bool" | "int", write: (xs: Sql, x: Sql) => Sql): FunctionSpec =>
  special(["array", "any"], ([xs, x], call) => {
    const { array, element } = withElement(xs!, x!, call);
    return value(write(array, element), typeOf(type), [xs!, x!]);
  });

const same = (write: (...args: Sql[]) => Sql, specs: Parameters<typeof scalar>[0] = ["array"]): FunctionSpec =>
  scalar(specs, "same", write, false);

/** Elements that all of the arrays have. */
const intersect = special(["array", "array*"], (arrays) => {
  const [first, ...others] = arrays.map((array) => array.sql);
  const all = others.reduce((left, right) => sql`list_intersect(${left}, ${right})`, sql`list_distinct(${first!})`);
  return value(all, arrays[0]!.type, arrays);
});

const concat = special(["array", "array*"], (arrays, call) => {
  const { type } = unify(arrays, call);
  const all = arrays.map((array) => array.sql).reduce((left, right) => sql`list_concat(${left}, ${right})`);
  return value(all, type, arrays);
});

const zip = special(["array", "array*"], (arrays, call) => {
  const x = call.fresh();
  const lists = arrays.map((array) => array.sql);
  const members = arrays.map((array, i) =>
    value(sql`struct_extract(${x}, ${{ parts: [String(i + 1)] }})`, elementOf(array.type), [array]),
  );
  const tuple = tupleOfValues(members);
  const rows = sql`list_transform(list_zip(${join(lists, ", ")}), lambda ${x}: ${tuple.sql})`;
  const checked = lists.length === 1 ? rows : sameLength(lists, rows);
  return value(checked, arrayOf(tupleOf(members.map((member) => member.type))), arrays);
});

/** `range(end)`, `range(start, end, step)`. */
const range = special(["int", "int?", "int?"], (args) => {
  const [start, end, step] =
    args.length === 1 ? [sql`0`, args[0]!.sql, sql`1`] : [args[0]!.sql, args[1]!.sql, args[2]?.sql ?? sql`1`];
  const count = sql`abs((CAST(${end} AS HUGEINT) - ${start}) // nullif(${step}, 0))`;
  return value(atMost(count, "range", sql`range(${start}, ${end}, ${step})`), arrayOf(INT), args);
});

const withConstant = special(["int", "any"], ([n, x]) =>
  value(
    atMost(n!.sql, "arrayWithConstant", sql`list_transform(range(0, ${n!.sql}), lambda x: ${x!.sql})`),
    arrayOf(x!.type),
    [n!, x!],
  ),
);

const flatten = special(["array"], ([xs]) => {
  let { type, sql: list } = xs!;
  while (type.element?.kind === "array") [type, list] = [type.element, sql`flatten(${list})`];
  return value(list, type, [xs!]);
});

const joined = special(["array", "text?"], ([xs, by], call) => {
  const x = call.fresh();
  const texts = sql`list_transform(${xs!.sql}, lambda ${x}: ${asText(value(x, elementOf(xs!.type)), call).sql})`;
  return value(sql`coalesce(array_to_string(${texts}, ${by?.sql ?? bind("", "VARCHAR")}), '')`, typeOf("string"), [
    xs!,
  ]);
});

/** Any aggregate by name over one array: `arrayReduce('sum', xs)`. */
const reduce = special(["any", "array"], ([name, xs], call) => {
  if (typeof name!.constant !== "string")
    throw new HogqlError("arrayReduce takes the name of an aggregate as a literal.");
  if (name!.constant.includes("(")) throw new HogqlError("arrayReduce with a parametric aggregate is not supported.");
  return aggregateOf(name!.constant, xs!, call);
});

/** Arrays; places count from one. */
export const ARRAYS: Record<string, FunctionSpec> = {
  array: special(["any*"], (items, call) => arrayOfValues(items, call)),
  arrayMap: walking(false, (walk) => ofWalk(walk.mapped, arrayOf(walk.lambda.type), walk)),
  arrayFilter: walking(false, (walk) => ofWalk(walk.kept(true), walk.arrays[0]!.type, walk)),
  arrayCount: walking(true, (walk) => ofWalk(sql`len(${walk.kept(true)})`, INT, walk)),
  arrayExists: walking(true, (walk) => ofWalk(sql`(len(${walk.kept(true)}) > 0)`, typeOf("bool"), walk)),
  arrayAll: walking(true, (walk) => ofWalk(sql`(len(${walk.kept(false)}) = 0)`, typeOf("bool"), walk)),
  arrayFirst: found(false, false),
  arrayFirstOrNull: found(false, true),
  arrayLast: found(true, false),
  arrayLastOrNull: found(true, true),
  arrayFirstIndex: foundIndex(false),
  arrayLastIndex: foundIndex(true),
  arraySum: over("sum"),
  arrayAvg: over("avg"),
  arrayMin: over("min"),
  arrayMax: over("max"),
  arraySort: sortedBy(false),
  arrayReverseSort: sortedBy(true),
  arrayFold,
  arrayReduce: reduce,
  arrayCumSum: running(
    (of) => of,
    (list, _, i) => sql`list_sum(list_slice(${list}, 1, ${i}))`,
  ),
  arrayDifference: running(
    (of) => of,
    (list, x, i) => sql`CASE WHEN ${i} = 1 THEN 0 ELSE ${x} - list_extract(${list}, ${i} - 1) END`,
  ),
  arrayCompact: special(["array"], ([xs], call) => {
    const [x, i] = [call.fresh(), call.fresh()];
    const isNew = (list: Sql) => sql`(${i} = 1 OR ${x} IS DISTINCT FROM list_extract(${list}, ${i} - 1))`;
    const written = bound(xs!.sql, call, (list) => sql`list_filter(${list}, lambda ${x}, ${i}: ${isNew(list)})`);
    return value(written, xs!.type, [xs!]);
  }),
  arrayElement: special(["array", "int"], ([xs, i]) => elementAt(xs!, i!)),
  arrayFill: filling(false),
  arrayReverseFill: filling(true),
  arraySplit: splitting(false),
  arrayReverseSplit: splitting(true),
  has: search(
    "bool",
    (xs, x) => sql`CASE WHEN ${x} IS NULL THEN ${hasNull(xs)} ELSE coalesce(list_contains(${xs}, ${x}), FALSE) END`,
  ),
  indexOf: search("int", (xs, x) => sql`coalesce(list_position(${xs}, ${x}), 0)`),
  countEqual: search("int", (xs, x) => sql`len(list_filter(${xs}, lambda x: x IS NOT DISTINCT FROM ${x}))`),
  hasAny: among((xs, ys) => sql`list_has_any(${xs}, ${ys})`),
  hasAll: among((xs, ys) => sql`list_has_all(${xs}, ${ys})`),
  arrayDistinct: distinct,
  arrayUniq: scalar(["array"], "int", (xs) => sql`(len(list_distinct(${xs})) + CAST(${hasNull(xs)} AS BIGINT))`, false),
  arrayReverse: same((xs) => sql`list_reverse(${xs})`),
  arrayConcat: concat,
  arrayIntersect: intersect,
  arraySlice: slice,
  arrayPushBack: added((xs, x) => sql`list_append(${xs}, ${x})`),
  arrayPushFront: added((xs, x) => sql`list_prepend(${x}, ${xs})`),
  arrayPopBack: same((xs) => sql`list_slice(${xs}, 1, -2)`),
  arrayPopFront: same((xs) => sql`list_slice(${xs}, 2, len(${xs}))`),
  arrayResize: resized,
  arrayZip: zip,
  arrayEnumerate: scalar(["array"], arrayOf(INT), (xs) => sql`range(1, len(${xs}) + 1)`, false),
  arrayFlatten: flatten,
  arrayWithConstant: withConstant,
  arrayStringConcat: joined,
  arrayProduct: scalar(["array"], "float", (xs) => sql`coalesce(list_product(${xs}), 1)`, false),
  range,
};
