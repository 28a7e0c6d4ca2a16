import { HogqlError } from "../../errors.ts";
import { bind, FALSE, integer, join, type Sql, sql, text } from "../../sql.ts";
import type { Type } from "../types.ts";
import { aggregate, type CallContext, type FunctionSpec } from "./spec.ts";

const COUNT: Type = { kind: "int", nullable: false, clickhouse: "UInt64" };

/** Empty sets of values that cannot be NULL give the type's zero, as in ClickHouse. */
function zero(type: Type): Sql | null {
  if (type.kind === "int") return integer(0);
  if (type.kind === "float") return bind(0, "DOUBLE");
  if (type.kind === "string") return text("");
  return type.kind === "bool" ? FALSE : null;
}

function level(params: CallContext["params"]): Sql {
  const [p = 0.5] = params;
  if (typeof p !== "number" || p < 0 || p > 1)
    throw new HogqlError("The level of a quantile must be a number from 0 to 1.");
  return bind(p, "DOUBLE");
}

const distinct = (args: Sql[]): Sql =>
  args.length === 1 ? sql`count(DISTINCT ${args[0]!})` : sql`count(DISTINCT (${join(args, ", ")}))`;

/** Compensated for fractions: the same rows in any order give the same sum. */
const sum = ([x]: Sql[], [type]: Type[]): Sql => (type!.kind === "float" ? sql`fsum(${x!})` : sql`sum(${x!})`);

const quantile = aggregate(["float"], "float", ([x], _, params) => sql`quantile_cont(${x!}, ${level(params)})`, {
  params: 1,
});
const median = aggregate(["float"], "float", ([x]) => sql`quantile_cont(${x!}, 0.5)`);
const uniq = aggregate(["any", "any*"], COUNT, distinct, { never: true });
const list = (type: Type): Type => ({ kind: "array", nullable: false, element: { ...type, nullable: false } });

const ofAny = (write: (x: Sql) => Sql) => aggregate(["any"], "same", ([x]) => write(x!), { empty: zero });
const ofFloat = (write: (x: Sql) => Sql) => aggregate(["float"], "float", ([x]) => write(x!));
const byOther = (write: (x: Sql, by: Sql) => Sql) => aggregate(["any", "any"], "same", ([x, by]) => write(x!, by!));

/** An aggregate that gives an array of the argument's values without NULLs. */
function collect(write: (x: Sql) => Sql): FunctionSpec {
  const base = aggregate(["any"], "array", ([x]) => write(x!), { never: true });
  return {
    ...base,
    emit: (args, call, filter) => {
      const isKnown = sql`${args[0]!.sql} IS NOT NULL`;
      const result = base.emit(args, call, filter === null ? isKnown : sql`(${isKnown} AND ${filter})`);
      return { ...result, sql: sql`coalesce(${result.sql}, [])`, type: list(args[0]!.type) };
    },
  };
}

/** Every one of these also has a form `…If(…, condition)`. */
export const AGGREGATES: Record<string, FunctionSpec> = {
  count: aggregate(["any?"], COUNT, ([x]) => (x === undefined ? sql`count(*)` : sql`count(${x})`), { never: true }),
  countDistinct: uniq,
  uniq,
  uniqExact: uniq,
  sum: aggregate(["number"], "same", sum, { empty: zero }),
  avg: ofFloat((x) => sql`avg(${x})`),
  min: ofAny((x) => sql`min(${x})`),
  max: ofAny((x) => sql`max(${x})`),
  any: ofAny((x) => sql`any_value(${x})`),
  anyLast: ofAny((x) => sql`last(${x})`),
  argMin: byOther((x, by) => sql`arg_min(${x}, ${by})`),
  argMax: byOther((x, by) => sql`arg_max(${x}, ${by})`),
  quantile,
  median,
  stddevPop: ofFloat((x) => sql`stddev_pop(${x})`),
  stddevSamp: ofFloat((x) => sql`stddev_samp(${x})`),
  varPop: ofFloat((x) => sql`var_pop(${x})`),
  varSamp: ofFloat((x) => sql`var_samp(${x})`),
  groupArray: collect((x) => sql`list(${x})`),
  groupUniqArray: collect((x) => sql`list(DISTINCT ${x})`),
};
