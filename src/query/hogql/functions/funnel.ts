import { HogqlError } from "../../shape/errors.ts";
import { integer, join, type Sql, sql } from "../../sql/sql.ts";
import { asCondition, asInt } from "../../value/convert.ts";
import { type Type, typeOf } from "../../value/types.ts";
import { insideOf, ofRows, overRows } from "./aggregate.ts";
import { bound } from "./bound.ts";
import { type CallContext, type FunctionSpec, specOf } from "./spec.ts";

/** Modes that end a walk early, or count each row once. */
const REFUSED_MODES = ["strict_order", "strict_deduplication", "strict_once", "allow_reentry"];

const LEVEL: Type = { ...typeOf("int"), clickhouse: "UInt8" };

function readParams({ params, name }: CallContext): { window: number; isIncreasing: boolean } {
  const [window, ...modes] = params;
  if (typeof window !== "number" || !Number.isInteger(window) || window < 0) {
    throw new HogqlError(`\`${name}\` needs a window, in seconds: ${name}(3600)(timestamp, …).`);
  }
  for (const mode of modes) {
    if (REFUSED_MODES.includes(String(mode)))
      throw new HogqlError(`The mode '${mode}' of \`${name}\` is not supported.`);
    if (mode !== "strict_increase") throw new HogqlError(`\`${name}\` has no such mode.`);
  }
  return { window, isIncreasing: modes.includes("strict_increase") };
}

/**
 * `windowFunnel(window, mode…)(time, condition 1, …)`: how many of the conditions were met one after the other, the last within
 * the window (seconds; days of a date) from the first. The steps are walked in the order of time and condition, and for each
 * condition the latest chain that reaches it is kept.
 */
export const windowFunnel: FunctionSpec = {
  ...specOf("aggregate", ["any", "condition", "condition*"]),
  params: 4,
  isCondition: (index) => index > 0,
  emit: (args, call, rows) => {
    const { window, isIncreasing } = readParams(call);
    const [at, ...conditions] = args;
    const time = asInt(at!).sql;
    const [y, i, acc, step, k] = [call.fresh(), call.fresh(), call.fresh(), call.fresh(), call.fresh()];
    const tests = conditions.map((condition) => sql`coalesce(${asCondition(condition)}, FALSE)`);
    const met = sql`list_filter(range(1, ${integer(tests.length + 1)}), lambda ${i}: list_extract([${join(tests, ", ")}], ${i}))`;
    const steps = sql`list_transform(${met}, lambda ${y}: ${stepOf(time, y)})`;
    const walked = sql`list_sort(flatten(coalesce(${ofRows(sql`list(${insideOf([steps], rows)})`, rows)}, [])))`;
    const before = sql`list_extract(struct_extract(${acc}, 'chains'), struct_extract(${step}, 'i') - 1)`;
    const isLater = isIncreasing ? sql` AND struct_extract(${before}, 'last') < struct_extract(${step}, 't')` : sql``;
    const goesOn = sql`${before} IS NOT NULL AND struct_extract(${step}, 't') <= struct_extract(${before}, 'first') + ${integer(window)}${isLater}`;
    const chain = sql`CASE WHEN ${k} <> struct_extract(${step}, 'i') THEN list_extract(struct_extract(${acc}, 'chains'), ${k}) WHEN struct_extract(${step}, 'i') = 1 THEN struct_pack(first := struct_extract(${step}, 't'), last := struct_extract(${step}, 't')) WHEN ${goesOn} THEN struct_pack(first := struct_extract(${before}, 'first'), last := struct_extract(${step}, 't')) ELSE list_extract(struct_extract(${acc}, 'chains'), ${k}) END`;
    const chains = sql`list_transform(range(1, ${integer(tests.length + 1)}), lambda ${k}: ${chain})`;
    const start = sql`struct_pack(t := 0::BIGINT, i := 0::BIGINT, chains := ${NO_CHAINS})`;
    const next = sql`struct_pack(t := struct_extract(${step}, 't'), i := struct_extract(${step}, 'i'), chains := ${chains})`;
    const end = sql`struct_extract(list_reduce(${walked}, lambda ${acc}, ${step}: ${next}, ${start}), 'chains')`;
    const level = bound(end, call, (kept) => {
      const reached = sql`list_filter(range(1, ${integer(tests.length + 1)}), lambda ${k}: list_extract(${kept}, ${k}) IS NOT NULL)`;
      return sql`coalesce(list_max(${reached}), 0)`;
    });
    return overRows(level, LEVEL, args, rows);
  },
};

const NO_CHAINS = sql`CAST([] AS STRUCT(first BIGINT, last BIGINT)[])`;

const stepOf = (time: Sql, condition: Sql): Sql =>
  sql`struct_pack(t := CAST(${time} AS BIGINT), i := ${condition}, chains := ${NO_CHAINS})`;
