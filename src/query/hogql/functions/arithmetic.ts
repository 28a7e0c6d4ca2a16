import { HogqlError } from "../../shape/errors.ts";
import { sql } from "../../sql/sql.ts";
import type { Calendar } from "../../time/dates.ts";
import { asDatetime, asInt, asNumeric } from "../../value/convert.ts";
import { describe, typeOf, type Value, value } from "../../value/types.ts";
import { intervalOf, shift } from "./dates.ts";

const ARITHMETIC = {
  "+": (a: Value, b: Value) => sql`(${a.sql} + ${b.sql})`,
  "-": (a: Value, b: Value) => sql`(${a.sql} - ${b.sql})`,
  "*": (a: Value, b: Value) => sql`(${a.sql} * ${b.sql})`,
  "/": (a: Value, b: Value) => sql`(CAST(${a.sql} AS DOUBLE) / CAST(${b.sql} AS DOUBLE))`,
  "%": (a: Value, b: Value) => sql`(${a.sql} % ${b.sql})`,
};

export type Operator = keyof typeof ARITHMETIC;

/** `+ - * / %` of numbers, and `+ -` of times and intervals. NULL in, NULL out. Errors: HogqlError. */
export function arithmetic(op: Operator, left: Value, right: Value, calendar: Calendar): Value {
  const sign = op === "+" ? 1 : -1;
  if (op === "+" || op === "-") {
    if (right.interval !== undefined) return shift(left, right, sign, calendar);
    if (left.interval !== undefined && op === "+") return shift(right, left, 1, calendar);
    if (isTime(left) && isTime(right) && op === "-") {
      // As ClickHouse: seconds between instants, days between days.
      const areDays = left.type.kind === "date" && right.type.kind === "date";
      const [a, b] = areDays
        ? [asInt(left), asInt(right)]
        : [asDatetime(left, calendar), asDatetime(right, calendar)].map(asInt);
      return value(sql`(${a!.sql} - ${b!.sql})`, typeOf("int", left.type.nullable || right.type.nullable), [
        left,
        right,
      ]);
    }
  }
  const moved = movedByNumber(left, right, op, calendar);
  if (moved !== null) return moved;
  const [a, b] = ([left, right] as const).map((side) => {
    if (isTime(side))
      throw new HogqlError(`Cannot use ${describe(side.type)} in \`${op}\`: use an interval or dateDiff.`);
    return asNumeric(side);
  });
  const nullable = a!.type.nullable || b!.type.nullable || op === "%";
  const isFloat = op === "/" || a!.type.kind === "float" || b!.type.kind === "float";
  return value(ARITHMETIC[op](a!, b!), typeOf(isFloat ? "float" : "int", nullable), [left, right]);
}

/** As ClickHouse: a number beside a day counts days, beside a time seconds. Null where that is not what stands there. */
function movedByNumber(left: Value, right: Value, op: Operator, calendar: Calendar): Value | null {
  const [at, by] = isTime(left) ? [left, right] : [right, left];
  const isNumber = by.type.kind === "int" || by.type.kind === "float";
  if (!isTime(at) || !isNumber || !(op === "+" || (op === "-" && at === left))) return null;
  const unit = at.type.kind === "date" ? "day" : "second";
  return shift(at, intervalOf(unit, by), op === "+" ? 1 : -1, calendar);
}

const isTime = (side: Value): boolean => side.type.kind === "datetime" || side.type.kind === "date";
