import { HogqlError } from "../shape/errors.ts";
import { join, sql } from "../sql/sql.ts";
import type { Calendar } from "../time/dates.ts";
import { convertTo } from "./convert.ts";
import { arrayOf, describe, isNumeric, type Kind, type Type, typeOf, type Value, value } from "./types.ts";

/** Converts values to one kind: for the branches of `if`, for `coalesce`, arrays and unions. */
export function unify(values: readonly Value[], calendar: Calendar): { values: Value[]; type: Type } {
  const known = values.filter((item) => item.type.kind !== "null");
  if (known.length === 0) return { values: [...values], type: typeOf("null", true) };
  const kinds = new Set(known.map((item) => item.type.kind));
  const kind = commonKind(kinds);
  const converted = kinds.size === 1 ? [...values] : values.map((item) => convertTo(item, kind, calendar));
  const nullable = converted.some((item) => item.type.nullable);
  const shape = kinds.size === 1 ? shapeOf(known.map((item) => item.type)) : typeOf(kind);
  return { values: converted, type: { ...shape, nullable } };
}

/** The type of several of one kind: what is known of the elements of any of them. */
function shapeOf(types: readonly Type[]): Type {
  const [first] = types;
  const parts = types.map((type) => type.element).filter((part) => part !== undefined && part.kind !== "null");
  const element = parts.find((part) => part!.kind === "float") ?? parts[0];
  return element === undefined ? first! : { ...first!, element };
}

/** An array of values of one type. */
export function arrayOfValues(items: readonly Value[], calendar: Calendar): Value {
  const { values, type } = unify(items, calendar);
  const list = join(
    values.map((item) => item.sql),
    ", ",
  );
  const whole = items.length === 0 ? ({ kind: "array", nullable: false } as const) : arrayOf(type);
  return { ...value(sql`[${list}]`, whole, values), items };
}

function commonKind(kinds: Set<Kind>): Kind {
  const [first] = kinds;
  if (kinds.size === 1) return first!;
  const all = [...kinds];
  if (all.every((kind) => isNumeric(typeOf(kind)))) return kinds.has("float") ? "float" : "int";
  if (all.every((kind) => kind === "date" || kind === "datetime")) return "datetime";
  if (kinds.has("array") || kinds.has("tuple") || kinds.has("map") || kinds.has("interval")) {
    throw new HogqlError(`There is no common type of ${all.map((kind) => describe(typeOf(kind))).join(" and ")}.`);
  }
  return "string";
}
