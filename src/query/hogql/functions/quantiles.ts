import { HogqlError } from "../../shape/errors.ts";
import { allOf, bind, join, type Sql, sql } from "../../sql/sql.ts";
import { arrayOf, elementOf, mayBeNaN, optional, typeOf, value } from "../../value/types.ts";
import { aggregate, type Engine, insideOf, known, ofRows, overRows, whereNone } from "./aggregate.ts";
import { bound } from "./bound.ts";
import { type CallContext, type FunctionSpec, specOf, take } from "./spec.ts";

function levelOf(p: CallContext["params"][number]): Sql {
  if (typeof p === "number" && p >= 0 && p <= 1) return bind(p, "DOUBLE");
  throw new HogqlError("The level of a quantile must be a number from 0 to 1.");
}

const QUANTILE: Engine = { name: "quantile_cont", extra: ([p = 0.5]) => [levelOf(p)] };

/** NaN has no place among numbers. */
function numbersOnly(spec: FunctionSpec): FunctionSpec {
  return {
    ...spec,
    emit: (args, call, rows) => {
      const x = args[0]!;
      if (!mayBeNaN(x)) return spec.emit(args, call, rows);
      const filter = allOf([sql`NOT isnan(${x.sql})`, ...(rows.filter === null ? [] : [rows.filter])]);
      return spec.emit(args, call, { ...rows, filter });
    },
    overList: (list, call) => {
      if (!mayBeNaN(value(list.sql, elementOf(list.type)))) return spec.overList!(list, call);
      const x = call.fresh();
      const numbers = sql`list_filter(${list.sql}, lambda ${x}: NOT isnan(${x}))`;
      return spec.overList!(value(numbers, list.type, [list]), call);
    },
  };
}

export const quantile = numbersOnly(aggregate(["float"], "float", QUANTILE, { params: 1 }));
export const median = numbersOnly(
  aggregate(["float"], "float", { name: "quantile_cont", extra: () => [levelOf(0.5)] }),
);
/** The value itself at the level: the lower of two. */
export const quantileExactLow = numbersOnly(
  aggregate(["number"], "same", { name: "quantile_disc", extra: ([p = 0.5]) => [levelOf(p)] }, { params: 1 }),
);

/** The value itself at the level: the upper of two, as in ClickHouse. */
const exactly = (level: (params: CallContext["params"]) => Sql, params: number): FunctionSpec => {
  const pick = (sorted: Sql, call: CallContext): Sql =>
    bound(sorted, call, (list) => {
      const place = sql`least(CAST(floor(${level(call.params)} * len(${list})) AS BIGINT), len(${list}) - 1) + 1`;
      return sql`list_extract(${list}, ${place})`;
    });
  return numbersOnly({
    ...specOf("aggregate", ["number"]),
    params,
    emit: (args, call, rows) => {
      const [x] = take(args, ["number"], call);
      const own = { ...rows, filter: known([x!], rows) };
      const list = ofRows(sql`list(${insideOf([x!.sql], own)})`, own);
      return whereNone(
        overRows(pick(sql`list_sort(${list})`, call), optional(x!.type), args, rows),
        rows,
        false,
        false,
      );
    },
    overList: (list, call) => {
      const sorted = sql`list_sort(list_filter(${list.sql}, lambda x: x IS NOT NULL))`;
      return value(pick(sorted, call), optional(elementOf(list.type)), [list]);
    },
  });
};

export const quantileExact = exactly(([p = 0.5]) => levelOf(p), 1);
export const medianExact = exactly(() => levelOf(0.5), 0);

/** Several levels at once: an array. */
export const quantiles = numbersOnly(
  aggregate(
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
  ),
);
