import { HogqlError } from "../../shape/errors.ts";
import { integer, join, type Sql, sql } from "../../sql/sql.ts";
import { optional, type Type, typeOf, type Value, zeroOf } from "../../value/types.ts";
import { unify } from "../../value/unify.ts";
import { ofRows, overRows } from "./aggregate.ts";
import { type ArgumentSpec, type CallContext, type FunctionSpec, type Rows, specOf, take } from "./spec.ts";

/** A function that only stands before OVER. */
function over(
  specs: ArgumentSpec[],
  emit: (args: Value[], call: CallContext) => { sql: Sql; type: Type },
): FunctionSpec {
  return {
    ...specOf("window", specs),
    emit: (args, call, rows: Rows) => {
      if (rows.over === null) throw new HogqlError(`\`${call.name}\` needs OVER (…).`);
      if (rows.filter !== null || rows.isDistinct)
        throw new HogqlError(`\`${call.name}\` takes no DISTINCT and no FILTER.`);
      const written = emit(take(args, specs, call), call);
      return overRows(ofRows(written.sql, rows), written.type, args, rows);
    },
  };
}

const UINT: Type = { ...typeOf("int"), clickhouse: "UInt64" };

const numbering = (write: Sql) => over([], () => ({ sql: write, type: UINT }));
const share = (write: Sql) => over([], () => ({ sql: write, type: typeOf("float") }));

/** The value some rows away; where there is none the given one, else the type's zero as in ClickHouse. */
const neighbour = (name: Sql) =>
  over(["any", "int?", "any?"], ([x, by, otherwise], call) => {
    const { values, type } = otherwise === undefined ? { values: [x!], type: x!.type } : unify([x!, otherwise], call);
    const zero = type.nullable ? null : zeroOf(type);
    const last = values[1]?.sql ?? zero;
    const args = [values[0]!.sql, by?.sql ?? integer(1), ...(last === null ? [] : [last])];
    return { sql: sql`${name}(${join(args, ", ")})`, type: last === null ? optional(type) : type };
  });

const nth = over(["any", "int"], ([x, n]) => ({ sql: sql`nth_value(${x!.sql}, ${n!.sql})`, type: optional(x!.type) }));

/** Functions of a row's place in its window; every aggregate stands before OVER, too. */
export const WINDOWS: Record<string, FunctionSpec> = {
  row_number: numbering(sql`row_number()`),
  rank: numbering(sql`rank()`),
  dense_rank: numbering(sql`dense_rank()`),
  percent_rank: share(sql`percent_rank()`),
  cume_dist: share(sql`cume_dist()`),
  ntile: over(["int"], ([n]) => ({ sql: sql`ntile(${n!.sql})`, type: UINT })),
  lag: neighbour(sql`lag`),
  lead: neighbour(sql`lead`),
  lagInFrame: neighbour(sql`lag`),
  leadInFrame: neighbour(sql`lead`),
  nth_value: nth,
};
