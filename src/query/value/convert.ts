import type { PropertyType } from "../../types/mod.ts";
import { HogqlError } from "../shape/errors.ts";
import { asNumber, propertyText } from "../sql/properties.ts";
import { join, name, type Sql, sql } from "../sql/sql.ts";
import type { Calendar } from "../time/dates.ts";
import { toLocal, toLocalWithin, toUtc } from "../time/zone.ts";
import { dayValue, instantValue, literal } from "./literals.ts";
import { once } from "./once.ts";
import { parseTime, timeOfText } from "./timeTexts.ts";
import { describe, type Kind, type Type, typeOf, type Value, value } from "./types.ts";

// The conversions between kinds: one place for what HogQL converts and what it refuses.

/** What stands at `path` of a JSON text: a text in which can be read further. */
export function jsonValue(json: Sql, path: readonly (string | number)[], inputs: readonly Value[] = []): Value {
  const type = { ...typeOf("string", true), isJson: true };
  return { ...value(propertyText(json, path), type, inputs), json: { text: json, path: [...path] } };
}

const derived = (from: Value, kind: Kind, converted: Sql, nullable = from.type.nullable): Value =>
  value(converted, typeOf(kind, nullable), [from]);

/** A DOUBLE as ClickHouse writes it: no trailing `.0`, and an exponent from 1e21 on and below 1e-6. */
function floatText(number: Sql): Sql {
  const written = once(sql`CAST(${number} AS VARCHAR)`, "float_text", withoutExponent);
  return sql`CASE WHEN ${number} = trunc(${number}) AND abs(${number}) < 1e16 THEN CAST(CAST(${number} AS BIGINT) AS VARCHAR) WHEN isnan(${number}) THEN 'nan' ELSE ${written} END`;
}

/** The engine writes an exponent of two digits from 1e16 on and below 1e-4. */
function withoutExponent(written: Sql): Sql {
  const sign = sql`CASE WHEN starts_with(${written}, '-') THEN '-' ELSE '' END`;
  const digits = sql`regexp_replace(${written}, 'e.*|[.-]', '', 'g')`;
  const exponent = sql`CAST(right(${written}, 2) AS INTEGER)`;
  const large = sql`${sign} || rpad(${digits}, ${exponent} + 1, '0')`;
  const small = sql`${sign} || '0.' || repeat('0', ${exponent} - 1) || ${digits}`;
  const shorter = sql`regexp_replace(${written}, 'e[+]?(-?)0*', 'e\\1')`;
  return sql`CASE WHEN NOT contains(${written}, 'e') THEN ${written} WHEN regexp_matches(${written}, 'e[+](1[6-9]|20)$') THEN ${large} WHEN regexp_matches(${written}, 'e-0[56]$') THEN ${small} ELSE ${shorter} END`;
}

/** A value as JSON tells it: tuples as arrays, times as local texts. */
function jsonShape(from: Sql, type: Type, calendar: Calendar): Sql {
  switch (type.kind) {
    case "datetime":
      return sql`CAST(${toLocal(from, type.zone ?? calendar.timezone)} AS VARCHAR)`;
    case "tuple": {
      const members = (type.members ?? []).map(
        (member, i) =>
          sql`to_json(${jsonShape(sql`struct_extract(${from}, '${name(`v${i + 1}`)}')`, member, calendar)})`,
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

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

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
      if (typeof from.constant === "string" && NUMBER.test(from.constant) && Number.isFinite(Number(from.constant))) {
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

/** Where only the day counts: some time of it, where that is cheaper. */
export const timeOfDay = (at: Value): Value =>
  at.ofDay !== undefined && at.type.zone === undefined ? value(at.ofDay, at.type) : at;

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
        const at = parseTime(from.constant, calendar.timezone);
        return at === null ? derived(from, "datetime", sql`CAST(NULL AS TIMESTAMP)`, true) : instantValue(at);
      }
      return derived(from, "datetime", timeOfText(from.sql, calendar.timezone), true);
    }
    default:
      throw new HogqlError(`Cannot convert ${describe(from.type)} to a time.`);
  }
}

/** A day of the zone. Numbers are days since 1970, and seconds where they are too many for days, as in ClickHouse. */
export function asDate(from: Value, calendar: Calendar): Value {
  if (from.type.kind === "date") return from;
  if (from.type.kind === "int" || from.type.kind === "float") {
    const seconds = asDate(asDatetime(from, calendar), calendar);
    const days = sql`(DATE '1970-01-01' + CAST(${from.sql} AS INTEGER))`;
    return derived(from, "date", sql`CASE WHEN ${from.sql} > 65535 THEN ${seconds.sql} ELSE ${days} END`);
  }
  const at = asDatetime(from, calendar);
  if (at.instant !== undefined && at.type.zone === undefined) return dayValue(at.instant.toPlainDate());
  const { bounds } = at;
  if (bounds === undefined || at.type.zone !== undefined) {
    return derived(at, "date", sql`CAST(${localOf(at, calendar)} AS DATE)`);
  }
  const local = toLocalWithin(timeOfDay(at).sql, calendar.timezone, () => bounds);
  return value(sql`CAST(${local} AS DATE)`, typeOf("date", at.type.nullable));
}

/** The text of a property as what its definition says (engine rule 18): NULL where it holds no such thing. */
export function asDefined(text: Value, type: PropertyType | null, calendar: Calendar): Value {
  switch (type) {
    case "Numeric":
    case "Duration":
      return asFloat(text);
    case "Boolean": {
      const isTrue = sql`CASE ${text.sql} WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`;
      return value(isTrue, typeOf("bool", true), [text]);
    }
    case "DateTime":
      return asDatetime(text, calendar);
    default:
      return text;
  }
}

const CONVERSIONS: Partial<Record<Kind, (from: Value, calendar: Calendar) => Value>> = {
  string: asText,
  float: asFloat,
  int: asInt,
  bool: asBool,
  date: asDate,
  datetime: asDatetime,
  uuid: asUuid,
};

/** A value as another kind; NULL where a text cannot be read as it. Errors: HogqlError where there is no conversion. */
export function convertTo(from: Value, kind: Kind, calendar: Calendar): Value {
  if (from.type.kind === kind || from.type.kind === "null") return from;
  const convert = CONVERSIONS[kind];
  if (convert !== undefined) return convert(from, calendar);
  throw new HogqlError(`Cannot convert ${describe(from.type)} to ${describe(typeOf(kind))}.`);
}
