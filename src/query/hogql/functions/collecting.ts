import { HogqlError } from "../../shape/errors.ts";
import { integer, type Sql, sql, text } from "../../sql/sql.ts";
import { asText } from "../../value/convert.ts";
import { arrayOf, elementOf, type Type, typeOf, value } from "../../value/types.ts";
import { insideOf, known, ofRows, overRows } from "./aggregate.ts";
import { type CallContext, type FunctionSpec, specOf, take } from "./spec.ts";

// Aggregates that give the values themselves.

const collected = (element: Type): Type => arrayOf({ ...element, nullable: false });

/** At most as many as the parameter says. */
function limited(list: Sql, [most]: CallContext["params"]): Sql {
  if (most === undefined) return list;
  if (typeof most !== "number" || !Number.isInteger(most) || most < 1) {
    throw new HogqlError("The most elements of an array must be a whole number above zero.");
  }
  return sql`list_slice(${list}, 1, ${integer(most)})`;
}

/** The argument's values without NULLs, as an array; `finish` is done to it before it is cut to length. */
function collect(isDistinct: boolean, finish: (list: Sql) => Sql = (list) => list): FunctionSpec {
  return {
    ...specOf("aggregate", ["any"]),
    params: 1,
    takesOrder: true,
    emit: ([x], call, rows) => {
      const own = { ...rows, filter: known([x!], rows), isDistinct: rows.isDistinct || isDistinct };
      const list = limited(finish(ofRows(sql`list(${insideOf([x!.sql], own)})`, own)), call.params);
      const whole = rows.ifNone === "null" ? list : sql`coalesce(${list}, [])`;
      return overRows(whole, { ...collected(x!.type), nullable: rows.ifNone === "null" }, [x!], rows);
    },
    overList: (list, call) => {
      const told = isDistinct
        ? sql`list_distinct(${list.sql})`
        : sql`list_filter(${list.sql}, lambda x: x IS NOT NULL)`;
      return value(sql`coalesce(${limited(told, call.params)}, [])`, collected(elementOf(list.type)), [list]);
    },
  };
}

export const groupArray = collect(false);
export const groupUniqArray = collect(true);
export const groupArraySorted = collect(false, (list) => sql`list_sort(${list})`);

/** The values told most often, the most frequent first; of equally frequent ones the smaller first. */
export const topK: FunctionSpec = {
  ...specOf("aggregate", ["any"]),
  params: 3,
  emit: ([x], call, rows) => {
    const most = call.params[0] ?? 10;
    const counts = ofRows(sql`histogram(${insideOf([x!.sql], rows)})`, rows);
    const [pair, best] = [call.fresh(), call.fresh()];
    // Sorted by (-count, value).
    const order = sql`list_sort(list_transform(map_entries(${counts}), lambda ${pair}: struct_pack(n := -CAST(struct_extract(${pair}, 'value') AS BIGINT), x := struct_extract(${pair}, 'key'))))`;
    const names = sql`list_transform(${limited(order, [most])}, lambda ${best}: struct_extract(${best}, 'x'))`;
    return overRows(sql`coalesce(${names}, [])`, collected(x!.type), [x!], rows);
  },
};

/** `string_agg(x, ', ')`. */
export const stringAgg: FunctionSpec = {
  ...specOf("aggregate", ["text", "text"]),
  takesOrder: true,
  emit: (args, call, rows) => {
    const [x, by] = take(args, ["text", "text"], call);
    const joined = ofRows(sql`string_agg(${insideOf([x!.sql, by!.sql], rows)})`, rows);
    return overRows(sql`coalesce(${joined}, ${text("")})`, typeOf("string"), args, rows);
  },
};

export const jsonAgg: FunctionSpec = {
  ...groupArray,
  overList: undefined,
  emit: (args, call, rows) => asText(groupArray.emit(args, call, rows), call),
};
