import { HogqlError } from "../../shape/errors.ts";
import { join, name, type Sql, sql, TRUE } from "../../sql/sql.ts";
import { asCondition } from "../../value/convert.ts";
import {
  arrayOf,
  elementOf,
  mayBeNaN,
  optional,
  orZero,
  type Type,
  typeOf,
  type Value,
  value,
} from "../../value/types.ts";
import { aggregate, insideOf, known, ofRows, overRows, whereNone } from "./aggregate.ts";
import { groupArray, groupArraySorted, groupUniqArray, jsonAgg, stringAgg, topK } from "./collecting.ts";
import { windowFunnel } from "./funnel.ts";
import { median, medianExact, quantile, quantileExact, quantileExactLow, quantiles } from "./quantiles.ts";
import { type CallContext, type FunctionSpec, type Rows, specOf, take } from "./spec.ts";

const COUNT: Type = { kind: "int", nullable: false, clickhouse: "UInt64" };

const counted = (written: Sql, args: readonly Value[], rows: Rows): Value =>
  whereNone(overRows(ofRows(written, rows), COUNT, args, rows), rows, true, false);

/** Different values, or rows of values; NULL is none, and no part of one. */
const uniq: FunctionSpec = {
  ...specOf("aggregate", ["any", "any*"]),
  ignoresRepeats: true,
  givesZero: true,
  emit: (args, { groupsMax }, rows) => {
    const [first, ...others] = args;
    if (first?.countPersons !== undefined && others.length === 0 && rows.over === null) {
      const persons = first.countPersons({ where: rows.filter ?? TRUE, groups: groupsMax });
      return counted(persons, args, { ...rows, filter: null });
    }
    const values = args.map((argument) => argument.sql);
    const isOne = values.length === 1;
    const one = isOne ? values[0]! : sql`(${join(values, ", ")})`;
    const own = isOne || !args.some(({ type }) => type.nullable) ? rows : { ...rows, filter: known(args, rows) };
    return counted(sql`count(${insideOf([one], { ...rows, isDistinct: true })})`, args, own);
  },
  overList: (list) => value(sql`len(list_distinct(${list.sql}))`, COUNT, [list]),
};

/** Rows, or values that are not NULL. */
const count: FunctionSpec = {
  ...aggregate(["any?"], COUNT, { name: "count" }, { never: true }),
  emit: (args, call, rows) => {
    const isOfRows = args.length === 0 && rows.over === null && !rows.isDistinct;
    if (isOfRows && call.countRows !== undefined) {
      return counted(call.countRows(rows.filter ?? TRUE), args, { ...rows, filter: null });
    }
    if (!rows.isDistinct) return counted(sql`count(${args[0]?.sql ?? sql`*`})`, args, rows);
    if (args.length === 0) throw new HogqlError("count(DISTINCT …) needs an argument.");
    return uniq.emit(args, call, rows);
  },
};

/** Values of the same type as the argument. */
const ofAny = (name: string) => aggregate(["any"], "same", { name }, { zero: true });
/** Of a rising function the extreme is that of what it is made of. */
const extreme = (engine: string): FunctionSpec => {
  const plain = ofAny(engine);
  return {
    ...plain,
    ignoresRepeats: true,
    emit: (args, call, rows) => {
      const [of] = args;
      if (of?.rising === undefined || rows.over !== null || rows.ifNone !== "usual")
        return plain.emit(args, call, rows);
      const { of: cheaper, shown } = of.rising;
      const found = ofRows(sql`${name(engine)}(${insideOf([cheaper], rows)})`, rows);
      return overRows(shown(found), optional(of.type), args, rows);
    },
  };
};
const byOther = (name: string) => aggregate(["any", "any"], "same", { name }, { zero: true });
const min = extreme("min");
const [argMin, argMaxOf, maxOf] = [byOther("arg_min"), byOther("arg_max"), extreme("max")];
/** To the engine NaN is more than all numbers, so the greatest number is the least with the other sign. */
const negative = (x: Value): Value => value(sql`(-${x.sql})`, x.type, [x]);
const max: FunctionSpec = {
  ...maxOf,
  emit: (args, call, rows) => {
    const [x] = args;
    if (!mayBeNaN(x!)) return maxOf.emit(args, call, rows);
    const least = min.emit([negative(x!)], call, rows);
    return { ...least, sql: sql`(-${least.sql})` };
  },
  overList: (list, call) => {
    const x = value(call.fresh(), elementOf(list.type));
    if (!mayBeNaN(x)) return maxOf.overList!(list, call);
    const negatives = sql`list_transform(${list.sql}, lambda ${x.sql}: ${negative(x).sql})`;
    const least = min.overList!(value(negatives, list.type, [list]), call);
    return { ...least, sql: sql`(-${least.sql})` };
  },
};
const argMax: FunctionSpec = {
  ...argMaxOf,
  emit: (args, call, rows) => {
    const [x, by] = args;
    return mayBeNaN(by!) ? argMin.emit([x!, negative(by!)], call, rows) : argMaxOf.emit(args, call, rows);
  },
};
const ofFloat = (name: string) => aggregate(["float"], "float", { name });
const ofFloats = (name: string) => aggregate(["float", "float"], "float", { name });
const ofInt = (name: string) => aggregate(["int"], "int", { name }, { zero: true });
const ofBits = (name: string): FunctionSpec => ({ ...ofInt(name), ignoresRepeats: true });
/** The last value that is not NULL; before OVER that is a function of the engine's of its own, which takes no FILTER. */
const last: FunctionSpec = {
  ...knownOnly(ofAny("last")),
  emit: (args, call, rows) => {
    if (rows.over === null) return knownOnly(ofAny("last")).emit(args, call, rows);
    const [x] = args;
    const wanted = rows.filter === null ? x!.sql : sql`CASE WHEN ${rows.filter} THEN ${x!.sql} END`;
    const written = sql`last_value(${wanted} IGNORE NULLS) OVER ${rows.over}`;
    const found = overRows(written, optional(x!.type), args, rows);
    return whereNone(found, rows, false, !x!.type.nullable);
  },
};

/** Sums of fractions are compensated: the same rows in any order give the same sum. */
const sum = aggregate(["number"], "same", { name: (type) => (type.kind === "float" ? "fsum" : "sum") }, { zero: true });

/** Only rows where the first argument is not NULL. */
function knownOnly(spec: FunctionSpec): FunctionSpec {
  return {
    ...spec,
    emit: (args, call, rows) => spec.emit(args, call, { ...rows, filter: known(args, rows) }),
    overList: (list, call) => {
      const x = call.fresh();
      const others = sql`list_filter(${list.sql}, lambda ${x}: ${x} IS NOT NULL)`;
      return spec.overList!(value(others, list.type, [list]), call);
    },
  };
}

/** Whether a condition holds in every row. */
const every = aggregate(["condition"], "bool", { name: "bool_and" });

/** A mean of values, each counted as often as its weight says. */
const avgWeighted: FunctionSpec = {
  ...specOf("aggregate", ["float", "float"]),
  emit: (args, call, rows) => {
    const [x, weight] = take(args, ["float", "float"], call);
    const own = { ...rows, filter: known([x!, weight!], rows) };
    const top = ofRows(sql`fsum(${x!.sql} * ${weight!.sql})`, own);
    return overRows(sql`(${top} / ${ofRows(sql`fsum(${weight!.sql})`, own)})`, typeOf("float", true), args, rows);
  },
};

/** Whether the first condition was met by some row, and each other one beside it: 1 or 0 each. */
const retention: FunctionSpec = {
  ...specOf("aggregate", ["condition", "condition*"]),
  isCondition: () => true,
  emit: (args, _, rows) => {
    const met = args.map((argument) => {
      return sql`coalesce(${ofRows(sql`bool_or(${asCondition(argument)})`, rows)}, FALSE)`;
    });
    const both = met.map((one, i) => sql`CAST(${i === 0 ? one : sql`(${met[0]!} AND ${one})`} AS BIGINT)`);
    return overRows(sql`[${join(both, ", ")}]`, arrayOf(typeOf("int")), args, rows);
  },
};

/** Every one of these also takes the combinators of `combinators.ts`. */
export const AGGREGATES: Record<string, FunctionSpec> = {
  count,
  countDistinct: uniq,
  uniq,
  uniqExact: uniq,
  uniqHLL12: uniq,
  uniqTheta: uniq,
  uniqCombined: uniq,
  sum,
  sumWithOverflow: sum,
  sumKahan: sum,
  avg: ofFloat("avg"),
  avgWeighted,
  min,
  max,
  any: ofAny("any_value"),
  anyHeavy: ofAny("mode"),
  anyLast: last,
  first_value: ofAny("any_value"),
  last_value: last,
  argMin,
  argMax,
  quantile,
  quantileExact,
  quantileExactLow,
  quantileExactInclusive: quantile,
  quantileTDigest: quantile,
  quantileTiming: quantile,
  quantiles,
  median,
  medianExact,
  stddevPop: ofFloat("stddev_pop"),
  stddevSamp: ofFloat("stddev_samp"),
  varPop: ofFloat("var_pop"),
  varSamp: ofFloat("var_samp"),
  entropy: aggregate(["any"], "float", { name: "entropy" }),
  covarPop: ofFloats("covar_pop"),
  covarSamp: ofFloats("covar_samp"),
  corr: ofFloats("corr"),
  groupArray,
  array_agg: groupArray,
  groupUniqArray,
  groupArraySorted,
  groupBitAnd: ofBits("bit_and"),
  groupBitOr: ofBits("bit_or"),
  groupBitXor: ofInt("bit_xor"),
  string_agg: stringAgg,
  json_agg: jsonAgg,
  every,
  topK,
  retention,
  windowFunnel,
};

/** An aggregate over the elements of one array, as over rows. Errors: HogqlError where there is none of that name. */
export function aggregateOf(name: string, list: Value, call: CallContext): Value {
  const { overList, givesZero } = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name]! : {};
  if (overList === undefined) throw new HogqlError(`There is no aggregate '${name.slice(0, 50)}' over an array.`);
  const found = overList(list, call);
  return givesZero && !elementOf(list.type).nullable ? orZero(found) : found;
}
