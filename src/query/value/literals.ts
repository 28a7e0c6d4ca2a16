import { parseUuid } from "../../types/mod.ts";
import { HogqlError } from "../shape/errors.ts";
import { bind, FALSE, integer, NULL, sql, TRUE, text } from "../sql/sql.ts";
import { typeOf, type Value, value } from "./types.ts";

/** The value of a literal; it stays known while the statement is compiled. */
export function literal(constant: string | number | boolean | null): Value {
  if (constant === null) return { ...value(NULL, typeOf("null", true)), constant };
  if (typeof constant === "string") return { ...value(text(constant), typeOf("string")), constant };
  if (typeof constant === "boolean") return { ...value(constant ? TRUE : FALSE, typeOf("bool")), constant };
  if (Number.isInteger(constant) && Math.abs(constant) <= Number.MAX_SAFE_INTEGER) {
    return { ...value(integer(constant), typeOf("int")), constant };
  }
  const number = Number.isFinite(constant) ? bind(constant, "DOUBLE") : sql`CAST(${text(String(constant))} AS DOUBLE)`;
  return { ...value(number, typeOf("float")), constant };
}

export function instantValue(at: Temporal.ZonedDateTime): Value {
  const micros = at.epochNanoseconds / 1000n;
  return { ...value(sql`make_timestamp(${integer(micros)})`, typeOf("datetime")), instant: at };
}

export function dayValue(day: Temporal.PlainDate): Value {
  return { ...value(sql`CAST(${text(day.toString())} AS DATE)`, typeOf("date")), day };
}

/** The text constant as a UUID, where it is one. */
export function uuidConstant(from: Value): Value | null {
  if (typeof from.constant !== "string") return null;
  const uuid = parseUuid(from.constant);
  return uuid === null ? null : value(sql`CAST(${text(uuid)} AS UUID)`, typeOf("uuid"));
}

/** The value of a literal, as the parser gives it. */
export function constantOf(constant: unknown): string | number | boolean | null {
  if (constant === null || typeof constant === "string" || typeof constant === "boolean") return constant;
  if (typeof constant === "number") return constant;
  // The parser's form of infinity and NaN.
  if (typeof constant === "object" && "value" in constant) return Number(constant.value);
  throw new HogqlError("This literal is not supported.");
}
