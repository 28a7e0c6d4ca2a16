import { parseUuid } from "../../types/mod.ts";
import { type Calendar, parseAbsolute } from "../dates.ts";
import { HogqlError } from "../errors.ts";
import { asNumber, propertyText } from "../properties.ts";
import { bind, FALSE, integer, join, NULL, name, type Sql, sql, TRUE, text } from "../sql.ts";
import { toLocal, toUtc } from "../zone.ts";
import { arrayOf, describe, isNumeric, type Kind, type Type, typeOf, type Value, value } from "./types.ts";

/** Builders of values and the conversions between kinds; one place for what HogQL converts and what it refuses. */

export function literal(constant: string | number | boolean | null): Value {
  if (constant === null) return { ...value(NULL, typeOf("null", true)), constant };
  if (typeof constant === "string") return { ...value(text(constant), typeOf("string")), constant };
  if (typeof constant === "boolean") return { ...value(constant ? TRUE : FALSE, typeOf("bool")), constant };
  if (Number.isInteger(constant) && Math.abs(constant) <= Number.MAX_SAFE_INTEGER) {
    return { ...value(integer(constant), typeOf("int")), constant };
  }
  return { ...value(bind(constant, "DOUBLE"), typeOf("float")), constant };
}

export function instantValue(at: Temporal.ZonedDateTime): Value {
  const micros = at.epochNanoseconds / 1000n;
  return { ...value(sql`make_timestamp(${integer(micros)})`, typeOf("datetime")), instant: at };
}

export function dayValue(day: Temporal.PlainDate): Value {
  return { ...value(sql`CAST(${text(day.toString())} AS DATE)`, typeOf("date")), day };
}

/** What stands at `path` of a JSON text: a text in which can be read further. */
export function jsonValue(json: Sql, path: readonly (string | number)[], inputs: readonly Value[] = []): Value {
  const type = { ...typeOf("string", true), isJson: true };
  return { ...value(propertyText(json, path), type, inputs), json: { text: json, path: [...path] } };
}

const derived = (from: Value, kind: Kind, converted: Sql, nullable = from.type.nullable): Value =>
  value(converted, typeOf(kind, nullable), [from]);

/** A DOUBLE as JavaScript writes it: no trailing `.0`. */
export function floatText(number: Sql): Sql {
  return sql`CASE WHEN ${number} = trunc(${number}) AND abs(${number}) < 1e15 THEN CAST(CAST(${number} AS BIGINT) AS VARCHAR) ELSE CAST(${number} AS VARCHAR) END`;
}

/** A value as JSON tells it: tuples as arrays, times as local texts. */
function jsonShape(from: Sql, type: Type, calendar: Calendar): Sql {
  switch (type.kind) {
    case "datetime":
      return sql`CAST(${toLocal(from, type.zone ?? calendar.timezone)} AS VARCHAR)`;
    case "tuple": {
      const members = (type.members ?? []).map(
        (member, i) => sql`to_json(${jsonShape(sql`${from}.${name(`v${i + 1}`)}`, member, calendar)})`,
      );
      return sql`[${join(members, ", ")}]`;
    }
    case "array": {
      const inner = jsonShape(sql`x`, type.element ?? typeOf("null"), calendar);
      const isPlain = inner.parts.length === 1 && inner.parts[0] === "x";
      return isPlain ? from : sql`list_transform(${from}, lambda x: ${inner})`;
    }
    default:
      return from;
  }
}

export function asText(from: Value, calendar: Calendar): Value {
  switch (from.type.kind) {
    case "string":
      return from;
    case "float":
      return derived(from, "string", floatText(from.sql));
    case "datetime":
      return derived(from, "string", sql`CAST(${localOf(from, calendar)} AS VARCHAR)`);
    case "interval":
      throw new HogqlError(`Cannot convert ${describe(from.type)} to a string.`);
    case "array":
    case "tuple":
    case "map":
      return derived(from, "string", sql`CAST(to_json(${jsonShape(from.sql, from.type, calendar)}) AS VARCHAR)`);
    default:
      return derived(from, "string", sql`CAST(${from.sql} AS VARCHAR)`);
  }
}

/** A number: numbers stay, booleans are 0 and 1, texts are read (NULL where they hold none). */
export function asNumeric(from: Value): Value {
  switch (from.type.kind) {
    case "int":
    case "float":
    case "null":
      return from;
    case "bool":
      return derived(from, "int", sql`CAST(${from.sql} AS BIGINT)`);
    case "string": {
      if (typeof from.constant === "string" && from.constant.trim() !== "" && Number.isFinite(Number(from.constant))) {
        return literal(Number(from.constant));
      }
      return derived(from, "float", asNumber(from.sql), true);
    }
    default:
      throw new HogqlError(`Cannot use ${describe(from.type)} as a number.`);
  }
}

export function asFloat(from: Value): Value {
  if (from.type.kind === "datetime") return derived(from, "float", sql`epoch(${from.sql})`);
  if (from.type.kind === "date")
    return derived(from, "float", sql`CAST(date_diff('day', DATE '1970-01-01', ${from.sql}) AS DOUBLE)`);
  const number = asNumeric(from);
  if (number.type.kind === "float" || number.type.kind === "null") return number;
  return derived(number, "float", sql`CAST(${number.sql} AS DOUBLE)`);
}

/** A whole number; fractions are cut off, texts must be whole. */
export function asInt(from: Value): Value {
  switch (from.type.kind) {
    case "int":
    case "null":
      return from;
    case "bool":
      return asNumeric(from);
    case "float":
      return derived(from, "int", sql`TRY_CAST(trunc(${from.sql}) AS BIGINT)`, true);
    case "string": {
      const whole = sql`regexp_full_match(${from.sql}, '\\s*[+-]?[0-9]+\\s*')`;
      return derived(from, "int", sql`CASE WHEN ${whole} THEN TRY_CAST(${from.sql} AS BIGINT) END`, true);
    }
    case "datetime":
      return derived(from, "int", sql`epoch_ms(${from.sql}) // 1000`);
    case "date":
      return derived(from, "int", sql`date_diff('day', DATE '1970-01-01', ${from.sql})`);
    default:
      throw new HogqlError(`Cannot convert ${describe(from.type)} to a whole number.`);
  }
}

/** A condition: booleans as they are, numbers are true when not 0. */
export function asCondition(from: Value): Sql {
  switch (from.type.kind) {
    case "bool":
      return from.sql;
    case "int":
    case "float":
      return sql`(${from.sql} <> 0)`;
    case "null":
      return sql`CAST(NULL AS BOOLEAN)`;
    default:
      throw new HogqlError(`A condition must be a boolean, not ${describe(from.type)}.`);
  }
}

export function asBool(from: Value): Value {
  if (from.type.kind !== "string") return derived(from, "bool", asCondition(from));
  const lower = sql`lower(${from.sql})`;
  return derived(
    from,
    "bool",
    sql`CASE WHEN ${lower} IN ('true', '1', 't', 'y', 'yes', 'on') THEN TRUE WHEN ${lower} IN ('false', '0', 'f', 'n', 'no', 'off') THEN FALSE END`,
    true,
  );
}

export function asUuid(from: Value): Value {
  if (from.type.kind === "uuid") return from;
  if (from.type.kind !== "string" && from.type.kind !== "null") {
    throw new HogqlError(`Cannot convert ${describe(from.type)} to a UUID.`);
  }
  return derived(from, "uuid", sql`TRY_CAST(${from.sql} AS UUID)`, true);
}

/** The wall clock's time of an instant, in the zone it is shown in. */
export const localOf = (at: Value, calendar: Calendar): Sql => toLocal(at.sql, at.type.zone ?? calendar.timezone);

/** An instant: texts without an offset and dates are local to the zone; numbers are seconds since 1970. */
export function asDatetime(from: Value, calendar: Calendar): Value {
  switch (from.type.kind) {
    case "datetime":
      return from;
    case "null":
      return derived(from, "datetime", sql`CAST(NULL AS TIMESTAMP)`, true);
    case "date":
      if (from.day !== undefined) return instantValue(from.day.toZonedDateTime(calendar.timezone));
      return derived(from, "datetime", toUtc(sql`CAST(${from.sql} AS TIMESTAMP)`, calendar.timezone));
    case "int":
    case "float":
      return derived(from, "datetime", sql`make_timestamp(CAST(${from.sql} * 1000000 AS BIGINT))`);
    case "string": {
      if (typeof from.constant === "string") {
        const at = parseAbsolute(from.constant, calendar.timezone);
        return at === null ? derived(from, "datetime", sql`CAST(NULL AS TIMESTAMP)`, true) : instantValue(at);
      }
      const hasOffset = sql`regexp_matches(${from.sql}, '([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)$') AND contains(${from.sql}, ':')`;
      const zoned = sql`timezone('UTC', TRY_CAST(${from.sql} AS TIMESTAMPTZ))`;
      const local = toUtc(sql`TRY_CAST(${from.sql} AS TIMESTAMP)`, calendar.timezone);
      return derived(from, "datetime", sql`CASE WHEN ${hasOffset} THEN ${zoned} ELSE ${local} END`, true);
    }
    default:
      throw new HogqlError(`Cannot convert ${describe(from.type)} to a time.`);
  }
}

/** A day of the zone. */
export function asDate(from: Value, calendar: Calendar): Value {
  if (from.type.kind === "date") return from;
  if (from.type.kind === "int" || from.type.kind === "float") {
    return derived(from, "date", sql`(DATE '1970-01-01' + CAST(${from.sql} AS INTEGER))`);
  }
  const at = asDatetime(from, calendar);
  if (at.instant !== undefined && at.type.zone === undefined) return dayValue(at.instant.toPlainDate());
  return derived(at, "date", sql`CAST(${localOf(at, calendar)} AS DATE)`);
}

/** The text constant as a UUID, where it is one. */
export function uuidConstant(from: Value): Value | null {
  if (typeof from.constant !== "string") return null;
  const uuid = parseUuid(from.constant);
  return uuid === null ? null : value(sql`CAST(${text(uuid)} AS UUID)`, typeOf("uuid"));
}

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
  return value(sql`[${list}]`, items.length === 0 ? { kind: "array", nullable: false } : arrayOf(type), values);
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

/** A value as another kind; NULL where a text cannot be read as it. Errors: HogqlError where there is no conversion. */
export function convertTo(from: Value, kind: Kind, calendar: Calendar): Value {
  if (from.type.kind === kind || from.type.kind === "null") return from;
  switch (kind) {
    case "string":
      return asText(from, calendar);
    case "float":
      return asFloat(from);
    case "int":
      return asInt(from);
    case "bool":
      return asBool(from);
    case "date":
      return asDate(from, calendar);
    case "datetime":
      return asDatetime(from, calendar);
    case "uuid":
      return asUuid(from);
    default:
      throw new HogqlError(`Cannot convert ${describe(from.type)} to ${describe(typeOf(kind))}.`);
  }
}
