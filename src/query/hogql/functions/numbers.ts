import { integer, join, type Sql, sql } from "../../sql/sql.ts";
import { type Type, typeOf, value } from "../../value/types.ts";
import { unify } from "../../value/unify.ts";
import { arithmetic, type Operator } from "./arithmetic.ts";
import { type FunctionSpec, scalar, special } from "./spec.ts";

const ofNumber = (write: (x: Sql) => Sql): FunctionSpec => scalar(["float"], "float", write);
const named = (name: Sql): FunctionSpec => ofNumber((x) => sql`${name}(${x})`);
/** NULL outside of where the function is defined; ClickHouse has NaN, which JSON shows as null, too. */
const within = (name: Sql, condition: (x: Sql) => Sql): FunctionSpec =>
  scalar(["float"], "float", (x) => sql`CASE WHEN ${condition(x)} THEN ${name}(${x}) END`, true);

const positive = (x: Sql): Sql => sql`${x} > 0`;
const bounded = (x: Sql): Sql => sql`NOT isinf(${x})`;
const unit = (x: Sql): Sql => sql`abs(${x}) <= 1`;

/** Rounds to whole numbers or to n places, keeping whole numbers whole. */
const rounding = (write: (x: Sql) => Sql): FunctionSpec =>
  special(["number", "int?"], ([x, places]) => {
    if (x!.type.kind === "int" && places === undefined) return x!;
    if (places === undefined) return value(write(x!.sql), { ...x!.type }, [x!]);
    const factor = sql`pow(10, ${places.sql})`;
    return value(sql`(${write(sql`(${x!.sql} * ${factor})`)} / ${factor})`, typeOf("float", x!.type.nullable), [x!]);
  });

/** Halves go to the even neighbour; those of whole numbers away from zero where `whole` says so. */
const nearest = (whole: (x: Sql, n: Sql) => Sql): FunctionSpec =>
  special(["number", "int?"], ([x, places]) => {
    const isWhole = x!.type.kind === "int";
    if (isWhole && places === undefined) return x!;
    const n = sql`CAST(${places?.sql ?? integer(0)} AS INTEGER)`;
    const rounded = isWhole ? sql`CAST(${whole(x!.sql, n)} AS BIGINT)` : sql`round_even(${x!.sql}, ${n})`;
    return value(rounded, { ...x!.type }, [x!]);
  });

const sameKind = (write: (xs: Sql[], type: Type) => Sql): FunctionSpec =>
  special(["any", "any*"], (args, call) => {
    const { values, type } = unify(args, call);
    const list = values.map((argument) => argument.sql);
    return value(write(list, type), type, args);
  });

const leastOf = (xs: Sql[]): Sql => sql`least(${join(xs, ", ")})`;
const least = sameKind(leastOf);
/** To the engine NaN is more than all numbers, so the greatest number is the least with the other sign. */
const greatest = sameKind((xs, { kind }) =>
  kind === "float" ? sql`(-${leastOf(xs.map((x) => sql`(-${x})`))})` : sql`greatest(${join(xs, ", ")})`,
);

/** Of two numbers, whole where both are. */
const two = (write: (a: Sql, b: Sql) => Sql): FunctionSpec =>
  special(["number", "number"], ([a, b]) => {
    const isFloat = a!.type.kind === "float" || b!.type.kind === "float";
    const nullable = a!.type.nullable || b!.type.nullable;
    return value(write(a!.sql, b!.sql), typeOf(isFloat ? "float" : "int", nullable), [a!, b!]);
  });

const operator = (op: Operator): FunctionSpec =>
  special(["any", "any"], ([a, b], call) => arithmetic(op, a!, b!, call));

const ofInts = (write: (a: Sql, b: Sql) => Sql): FunctionSpec => scalar(["int", "int"], "int", write);
/** NULL where it divides by zero, which ClickHouse refuses. */
const dividing = (write: (a: Sql, b: Sql) => Sql): FunctionSpec => scalar(["int", "int"], "int", write, true);
const orZero = (write: (a: Sql, b: Sql) => Sql): FunctionSpec =>
  scalar(["int", "int"], "int", (a, b) => sql`CASE WHEN ${b} = 0 AND ${a} IS NOT NULL THEN 0 ELSE ${write(a, b)} END`);

const quotient = (a: Sql, b: Sql): Sql => sql`(${a} // ${b})`;
const rest = (a: Sql, b: Sql): Sql => sql`(${a} % ${b})`;
const floor = rounding((x) => sql`floor(${x})`);
const ceil = rounding((x) => sql`ceil(${x})`);
const truncate = rounding((x) => sql`trunc(${x})`);
const pow = scalar(["float", "float"], "float", (x, y) => sql`pow(${x}, ${y})`);
const ln = within(sql`ln`, positive);

/** What goes beyond 64 bits is lost. One bit, which is what insights ask for, seldom needs the wider numbers, which take four times as long. */
const shiftLeft = special(["int", "int"], ([a, b]) => {
  const [half, mask] = [sql`9223372036854775808::HUGEINT`, sql`18446744073709551615::HUGEINT`];
  const any = sql`CAST((((CAST(${a!.sql} AS HUGEINT) * (1::HUGEINT << ${b!.sql})) + ${half}) & ${mask}) - ${half} AS BIGINT)`;
  const bit = sql`CASE WHEN ${b!.sql} BETWEEN 0 AND 62 THEN 1::BIGINT << ${b!.sql} ELSE ${any} END`;
  return value(a!.constant === 1 ? bit : any, typeOf("int", a!.type.nullable || b!.type.nullable), [a!, b!]);
});

/** Arithmetic. */
export const NUMBERS: Record<string, FunctionSpec> = {
  plus: operator("+"),
  minus: operator("-"),
  multiply: operator("*"),
  divide: operator("/"),
  negate: scalar(["number"], "same", (x) => sql`(-${x})`),
  intDiv: dividing(quotient),
  intDivOrZero: orZero(quotient),
  modulo: operator("%"),
  moduloOrZero: orZero(rest),
  positiveModulo: dividing((a, b) => sql`(((${a} % ${b}) + abs(${b})) % ${b})`),
  gcd: ofInts((a, b) => sql`gcd(${a}, ${b})`),
  lcm: ofInts((a, b) => sql`lcm(${a}, ${b})`),
  round: nearest((x, n) => sql`round(CAST(${x} AS HUGEINT), ${n})`),
  roundBankers: nearest((x, n) => sql`round_even(${x}, ${n})`),
  floor,
  ceil,
  ceiling: ceil,
  trunc: truncate,
  truncate,
  abs: scalar(["number"], "same", (x) => sql`abs(${x})`),
  sign: scalar(["float"], "int", (x) => sql`CAST(sign(${x}) AS BIGINT)`),
  sqrt: within(sql`sqrt`, (x) => sql`${x} >= 0`),
  cbrt: named(sql`cbrt`),
  exp: named(sql`exp`),
  exp2: ofNumber((x) => sql`pow(2, ${x})`),
  exp10: ofNumber((x) => sql`pow(10, ${x})`),
  ln,
  log: ln,
  log2: within(sql`log2`, positive),
  log10: within(sql`log10`, positive),
  log1p: scalar(
    ["float"],
    "float",
    (x) => {
      // Near zero 1 + x loses digits, as many as ln of it over that.
      const rest = sql`(ln(1 + ${x}) * ${x} / nullif((1 + ${x}) - 1, 0))`;
      return sql`CASE WHEN ${x} > -1 THEN coalesce(${rest}, ${x}) END`;
    },
    true,
  ),
  pow,
  power: pow,
  sin: within(sql`sin`, bounded),
  cos: within(sql`cos`, bounded),
  tan: within(sql`tan`, bounded),
  asin: within(sql`asin`, unit),
  acos: within(sql`acos`, unit),
  atan: named(sql`atan`),
  atan2: scalar(["float", "float"], "float", (y, x) => sql`atan2(${y}, ${x})`),
  sinh: named(sql`sinh`),
  cosh: named(sql`cosh`),
  tanh: named(sql`tanh`),
  degrees: named(sql`degrees`),
  radians: named(sql`radians`),
  hypot: scalar(["float", "float"], "float", (x, y) => sql`sqrt(${x} * ${x} + ${y} * ${y})`),
  pi: scalar([], "float", () => sql`pi()`),
  e: scalar([], "float", () => sql`exp(1)`),
  factorial: scalar(["int"], "int", (x) => sql`factorial(CAST(CASE WHEN ${x} < 0 THEN 0 ELSE ${x} END AS INTEGER))`),
  greatest,
  max2: two((a, b) => sql`CASE WHEN ${a} >= ${b} THEN ${a} WHEN ${a} < ${b} THEN ${b} END`),
  least,
  min2: two((a, b) => sql`CASE WHEN ${a} <= ${b} THEN ${a} WHEN ${a} > ${b} THEN ${b} END`),
  isNaN: scalar(["float"], "bool", (x) => sql`isnan(${x})`),
  isFinite: scalar(["float"], "bool", (x) => sql`isfinite(${x})`),
  isInfinite: scalar(["float"], "bool", (x) => sql`isinf(${x})`),
  ifNotFinite: scalar(["float", "float"], "float", (x, y) => sql`CASE WHEN isfinite(${x}) THEN ${x} ELSE ${y} END`),
  bitAnd: ofInts((a, b) => sql`(${a} & ${b})`),
  bitOr: ofInts((a, b) => sql`(${a} | ${b})`),
  bitXor: ofInts((a, b) => sql`xor(${a}, ${b})`),
  bitNot: scalar(["int"], "int", (x) => sql`(~${x})`),
  bitShiftLeft: shiftLeft,
  bitShiftRight: ofInts((a, b) => sql`(${a} >> ${b})`),
  bitTest: ofInts((a, b) => sql`((${a} >> ${b}) & 1)`),
  bitCount: scalar(["int"], "int", (x) => sql`CAST(bit_count(${x}) AS BIGINT)`),
  rand: scalar([], "int", () => sql`CAST(floor(random() * 4294967296) AS BIGINT)`),
  rand64: scalar([], "int", () => sql`CAST(floor(random() * 9007199254740992) AS BIGINT)`),
  randCanonical: special([], () => ({ ...value(sql`random()`, typeOf("float")), isRandom: true })),
};
