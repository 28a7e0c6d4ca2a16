import { HogqlError } from "../../errors.ts";
import { allOf, bind, integer, join, type Sql, sql, text } from "../../sql.ts";
import { asText } from "../convert.ts";
import { arrayOf, type Type, typeOf, type Value, value } from "../types.ts";
import { aggregate, type Engine, insideOf, ofRows, overRows } from "./aggregate.ts";
import { arity, type CallContext, type FunctionSpec, type Rows, take } from "./spec.ts";

const COUNT: Type = { kind: "int", nullable: false, clickhouse: "UInt64" };

function levelOf(p: CallContext["params"][number]): Sql {
  if (typeof p === "number" && p >= 0 && p <= 1) return bind(p, "DOUBLE");
  throw new HogqlError("The level of a quantile must be a number from 0 to 1.");
}

const QUANTILE: Engine = { name: "quantile_cont", extra: ([p = 0.5]) => [levelOf(p)] };

const quantile = aggregate(["float"], "float", QUANTILE, { params: 1 });
const median = aggregate(["float"], "float", { name: "quantile_cont", extra: () => [levelOf(0.5)] });
/** The value itself at the level, not between two. */
const quantileExact = aggregate(
  ["number"],
  "same",
  { name: "quantile_disc", extra: ([p = 0.5]) => [levelOf(p)] },
  { params: 1 },
);

/** Several levels at once: an array. */
const quantiles = aggregate(
  ["float"],
  arrayOf(typeOf("float")),
  {
    name: "quantile_cont",
    extra: (params) => {
      if (params.length === 0) throw new HogqlError("quantiles needs levels: quantiles(0.5, 0.9)(x).");
      return [sql`[${join(params.map(levelOf), ", ")}]`];
    },
  },
  { params: 100 },
);

/** Different values, or tuples of values; NULL is none. */
const uniq: FunctionSpec = {
  ...aggregate(["any", "any*"], COUNT, { name: "count" }, { never: true }),
  emit: (args, _, rows) => {
    const one =
      args.length === 1
        ? args[0]!.sql
        : sql`(${join(
            args.map(({ sql: arg }) => arg),
            ", ",
          )})`;
    const base = overRows(
      ofRows(sql`count(${insideOf([one], { ...rows, isDistinct: true })})`, rows),
      COUNT,
      args,
      rows,
    );
    return rows.ifNone === "null"
      ? { ...base, sql: sql`nullif(${base.sql}, 0)`, type: { ...COUNT, nullable: true } }
      : base;
  },
  overList: (list) => value(sql`len(list_distinct(${list.sql}))`, COUNT, [list]),
};

const count: FunctionSpec = {
  ...aggregate(["any?"], COUNT, { name: "count" }, { never: true }),
  emit: (args, call, rows) => {
    if (rows.isDistinct) {
      if (args.length === 0) throw new HogqlError("count(DISTINCT …) needs an argument.");
      return uniq.emit(args, call, rows);
    }
    const base = overRows(ofRows(sql`count(${args[0]?.sql ?? sql`*`})`, rows), COUNT, args, rows);
    return rows.ifNone === "null"
      ? { ...base, sql: sql`nullif(${base.sql}, 0)`, type: { ...COUNT, nullable: true } }
      : base;
  },
};

/** Values of the same type as the argument. */
const ofAny = (name: string) => aggregate(["any"], "same", { name }, { zero: true });
const ofFloat = (name: string) => aggregate(["float"], "float", { name });
const ofFloats = (name: string) => aggregate(["float", "float"], "float", { name });
const ofInt = (name: string) => aggregate(["int"], "int", { name }, { zero: true });
const last = knownOnly(ofAny("last"));
const byOther = (name: string) => aggregate(["any", "any"], "same", { name });

/** Sums of fractions are compensated: the same rows in any order give the same sum. */
const sum = aggregate(["number"], "same", { name: (type) => (type.kind === "float" ? "fsum" : "sum") }, { zero: true });

/** Only rows where the first argument is not NULL. */
function knownOnly(spec: FunctionSpec): FunctionSpec {
  return { ...spec, emit: (args, call, rows) => spec.emit(args, call, { ...rows, filter: known(args, rows) }) };
}

/** The filter of rows, and no argument is NULL. */
function known(args: readonly Value[], { filter }: Rows): Sql {
  return allOf([...args.map((argument) => sql`${argument.sql} IS NOT NULL`), ...(filter === null ? [] : [filter])]);
}

const LIST: Type = { kind: "array", nullable: false };
const collected = (element: Type): Type => arrayOf({ ...element, nullable: false });

/** At most as many as the parameter says. */
function limited(list: Sql, [most]: CallContext["params"]): Sql {
  if (most === undefined) return list;
  if (typeof most !== "number" || !Number.isInteger(most) || most < 1) {
    throw new HogqlError("The most elements of an array must be a whole number above zero.");
  }
  return sql`list_slice(${list}, 1, ${integer(most)})`;
}

/** The argument's values without NULLs, as an array; `write` makes one of a list. */
function collect(isDistinct: boolean, finish: (list: Sql) => Sql = (list) => list): FunctionSpec {
  return {
    ...aggregate(["any"], LIST, { name: "list" }, { never: true, takesOrder: true, params: 1 }),
    emit: ([x], call, rows) => {
      const own = { ...rows, filter: known([x!], rows), isDistinct: rows.isDistinct || isDistinct };
      const list = limited(ofRows(sql`list(${insideOf([x!.sql], own)})`, own), call.params);
      const whole = rows.ifNone === "null" ? list : sql`coalesce(${list}, [])`;
      return overRows(finish(whole), { ...collected(x!.type), nullable: rows.ifNone === "null" }, [x!], rows);
    },
    overList: (list, call) => {
      const told = isDistinct
        ? sql`list_distinct(${list.sql})`
        : sql`list_filter(${list.sql}, lambda x: x IS NOT NULL)`;
      return value(sql`coalesce(${limited(told, call.params)}, [])`, collected(list.type.element ?? typeOf("null")), [
        list,
      ]);
    },
  };
}

const groupArray = collect(false);
const groupUniqArray = collect(true);

/** The values told most often, the most frequent first; of equally frequent ones the smaller first. */
const topK: FunctionSpec = {
  ...aggregate(["any"], LIST, { name: "histogram" }, { never: true, params: 3 }),
  emit: ([x], call, rows) => {
    const most = call.params[0] ?? 10;
    const counts = ofRows(sql`histogram(${insideOf([x!.sql], rows)})`, rows);
    const [pair, best] = [call.fresh(), call.fresh()];
    // Sorted by (-count, value).
    const order = sql`list_sort(list_transform(map_entries(${counts}), lambda ${pair}: struct_pack(n := -CAST(${pair}.value AS BIGINT), x := ${pair}.key)))`;
    const names = sql`list_transform(${limited(order, [most])}, lambda ${best}: ${best}.x)`;
    return overRows(sql`coalesce(${names}, [])`, collected(x!.type), [x!], rows);
  },
};

/** `string_agg(x, ', ')`. */
const stringAgg: FunctionSpec = {
  ...aggregate(["text", "text"], "string", { name: "string_agg" }, { takesOrder: true }),
  emit: (args, call, rows) => {
    const [x, by] = take(args, ["text", "text"], call);
    const joined = ofRows(sql`string_agg(${insideOf([x!.sql, by!.sql], rows)})`, rows);
    return overRows(sql`coalesce(${joined}, ${text("")})`, typeOf("string"), args, rows);
  },
};

const jsonAgg: FunctionSpec = {
  ...groupArray,
  overList: undefined,
  emit: (args, call, rows) => asText(groupArray.emit(args, call, rows), call),
};

/** Whether a condition holds in every row. */
const every = aggregate(["condition"], "bool", { name: "bool_and" });

/** A mean of values, each counted as often as its weight says. */
const avgWeighted: FunctionSpec = {
  ...arity(["float", "float"]),
  kind: "aggregate",
  params: 0,
  isCondition: () => false,
  emit: (args, call, rows) => {
    const [x, weight] = take(args, ["float", "float"], call);
    const own = { ...rows, filter: known([x!, weight!], rows) };
    const top = ofRows(sql`fsum(${x!.sql} * ${weight!.sql})`, own);
    return overRows(sql`(${top} / ${ofRows(sql`fsum(${weight!.sql})`, own)})`, typeOf("float", true), args, rows);
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
  min: ofAny("min"),
  max: ofAny("max"),
  any: ofAny("any_value"),
  anyHeavy: ofAny("mode"),
  anyLast: last,
  first_value: ofAny("any_value"),
  last_value: last,
  argMin: byOther("arg_min"),
  argMax: byOther("arg_max"),
  quantile,
  quantileExact,
  quantileExactLow: quantileExact,
  quantileTDigest: quantile,
  quantileTiming: quantile,
  quantiles,
  median,
  medianExact: aggregate(["number"], "same", { name: "quantile_disc", extra: () => [levelOf(0.5)] }),
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
  groupArraySorted: collect(false, (list) => sql`list_sort(${list})`),
  groupBitAnd: ofInt("bit_and"),
  groupBitOr: ofInt("bit_or"),
  groupBitXor: ofInt("bit_xor"),
  string_agg: stringAgg,
  json_agg: jsonAgg,
  every,
  topK,
};

/** An aggregate over the elements of one array. Errors: HogqlError where there is none of that name. */
export function aggregateOf(name: string, list: Value, call: CallContext): Value {
  const overList = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name]!.overList : undefined;
  if (overList === undefined) throw new HogqlError(`There is no aggregate '${name.slice(0, 50)}' over an array.`);
  return overList(list, call);
}
