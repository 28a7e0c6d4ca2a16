import { HogqlError } from "../../shape/errors.ts";
import { sql } from "../../sql/sql.ts";
import type { Calendar } from "../../time/dates.ts";
import { asDatetime, asInt, asNumeric } from "../../value/convert.ts";
import { describe, typeOf, type Value, value } from "../../value/types.ts";
import { intervalOf, shift } from "../functions/mod.ts";
import type { Arithmetic } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import type { Scope } from "./scope.ts";

const ARITHMETIC = {
  "+": (a: Value, b: Value) => sql`(${a.sql} + ${b.sql})`,
  "-": (a: Value, b: Value) => sql`(${a.sql} - ${b.sql})`,
  "*": (a: Value, b: Value) => sql`(${a.sql} * ${b.sql})`,
  "/": (a: Value, b: Value) => sql`(CAST(${a.sql} AS DOUBLE) / CAST(${b.sql} AS DOUBLE))`,
  "%": (a: Value, b: Value) => sql`(${a.sql} % ${b.sql})`,
};

/** `+ - * / %` of numbers, and `+ -` of times and intervals. NULL in, NULL out. Errors: HogqlError. */
export function compileArithmetic(node: Arithmetic, scope: Scope): Value {
  const { context } = scope.compilation;
  const [left, right] = [compileExpression(node.left, scope), compileExpression(node.right, scope)];
  const sign = node.op === "+" ? 1 : -1;
  if (node.op === "+" || node.op === "-") {
    if (right.interval !== undefined) return shift(left, right, sign, context);
    if (left.interval !== undefined && node.op === "+") return shift(right, left, 1, context);
    if (isTime(left) && isTime(right) && node.op === "-") {
      // As ClickHouse: seconds between instants, days between days.
      const areDays = left.type.kind === "date" && right.type.kind === "date";
      const [a, b] = areDays
        ? [asInt(left), asInt(right)]
        : [asDatetime(left, context), asDatetime(right, context)].map(asInt);
      return value(sql`(${a!.sql} - ${b!.sql})`, typeOf("int", left.type.nullable || right.type.nullable), [
        left,
        right,
      ]);
    }
  }
  const moved = movedByNumber(left, right, node.op, context);
  if (moved !== null) return moved;
  const [a, b] = ([left, right] as const).map((side) => {
    if (isTime(side))
      throw new HogqlError(`Cannot use ${describe(side.type)} in \`${node.op}\`: use an interval or dateDiff.`);
    return asNumeric(side);
  });
  const nullable = a!.type.nullable || b!.type.nullable || node.op === "%";
  const isFloat = node.op === "/" || a!.type.kind === "float" || b!.type.kind === "float";
  return value(ARITHMETIC[node.op](a!, b!), typeOf(isFloat ? "float" : "int", nullable), [left, right]);
}

/** As ClickHouse: a number beside a day counts days, beside a time seconds. Null where that is not what stands there. */
function movedByNumber(left: Value, right: Value, op: string, context: Calendar): Value | null {
  const [at, by] = isTime(left) ? [left, right] : [right, left];
  const isNumber = by.type.kind === "int" || by.type.kind === "float";
  if (!isTime(at) || !isNumber || !(op === "+" || (op === "-" && at === left))) return null;
  const unit = at.type.kind === "date" ? "day" : "second";
  return shift(at, intervalOf(unit, by), op === "+" ? 1 : -1, context);
}

const isTime = (side: Value): boolean => side.type.kind === "datetime" || side.type.kind === "date";
