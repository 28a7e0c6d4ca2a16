import { HogqlError } from "../../shape/errors.ts";
import { sql, text } from "../../sql/sql.ts";
import { asBool, asDate, asDatetime, asFloat, asInt, asText, asUuid } from "../../value/convert.ts";
import { clickhouseName, optional, orZero, typeOf, type Value, value } from "../../value/types.ts";
import { type CallContext, type FunctionSpec, literalText, special } from "./spec.ts";

type Convert = (from: Value, call: CallContext) => Value;

/** A conversion that gives NULL where the value cannot be read. */
const conversion = (to: Convert): FunctionSpec => special(["any"], ([from], call) => to(from!, call));

/** A time whose texts are local to a zone that may be named; it is shown in that, too. */
function timeIn(from: Value, zone: Value | undefined, call: CallContext): Value {
  if (zone === undefined) return asDatetime(from, call);
  const timezone = zoneOf(zone);
  const at = asDatetime(from, { ...call, timezone });
  return { ...at, type: { ...at.type, zone: timezone } };
}

const parsed = special(["any", "any?"], ([from, zone], call) => timeIn(from!, zone, call));
/** The precision in the second place changes nothing: every time has microseconds. */
const parsed64 = special(["any", "int?", "any?"], ([from, , zone], call) => timeIn(from!, zone, call));

/** NULL where a number is no whole one, as PostHog has it (`accurateCastOrNull`). */
function asExactInt(from: Value): Value {
  const whole = asInt(from);
  if (from.type.kind !== "float") return whole;
  return value(sql`CASE WHEN ${from.sql} = trunc(${from.sql}) THEN ${whole.sql} END`, optional(whole.type), [from]);
}

/** `f`, `fOrNull`, `fOrZero`, `fOrDefault(x, default)`. */
function family(name: string, to: Convert, plain: Convert = to): Record<string, FunctionSpec> {
  return {
    [name]: conversion(plain),
    [`${name}OrNull`]: conversion((from, call) => ({ ...to(from, call), type: optional(to(from, call).type) })),
    [`${name}OrZero`]: conversion((from, call) => {
      const read = orZero(to(from, call));
      if (!from.type.nullable) return read;
      // What is not there is no text that could not be read.
      return value(sql`CASE WHEN ${from.sql} IS NOT NULL THEN ${read.sql} END`, optional(read.type), [from]);
    }),
    [`${name}OrDefault`]: special(["any", "any?"], ([from, otherwise], call) => {
      const result = to(from!, call);
      if (otherwise === undefined) return orZero(result);
      const last = to(otherwise, call);
      const type = { ...result.type, nullable: last.type.nullable };
      return value(sql`coalesce(${result.sql}, ${last.sql})`, type, [from!, otherwise]);
    }),
  };
}

/** These cut fractions off. */
const INTEGERS = ["Int", "UInt"].flatMap((kind) => [8, 16, 32, 64].map((bits) => `to${kind}${bits}`));

/** Rounded towards zero to so many places; there are no decimals here, only doubles. */
const toDecimal: FunctionSpec = special(["any", "int?"], ([from, places]) => {
  const number = asFloat(from!);
  if (places === undefined) return number;
  return value(sql`(trunc(${number.sql} * pow(10, ${places.sql})) / pow(10, ${places.sql}))`, number.type, [from!]);
});

/** From one kind to another. */
export const CONVERSIONS: Record<string, FunctionSpec> = {
  toString: conversion(asText),
  ...family("toInt", asExactInt),
  ...Object.assign({}, ...INTEGERS.map((name) => family(name, asExactInt, asInt))),
  ...family("toFloat", asFloat),
  ...family("toFloat32", asFloat),
  ...family("toFloat64", asFloat),
  ...family("toBool", asBool),
  ...family("toUUID", asUuid),
  ...family("toDate", asDate),
  ...family("toDateTime", asDatetime),
  toDecimal,
  toDecimal32: toDecimal,
  toDecimal64: toDecimal,
  toDecimal128: toDecimal,
  toDate32: conversion(asDate),
  toDateTime: parsed,
  toDateTime64: parsed64,
  parseDateTimeBestEffort: parsed,
  parseDateTimeBestEffortOrNull: parsed,
  parseDateTime64BestEffort: parsed64,
  parseDateTime64BestEffortOrNull: parsed64,
  toTimeZone: special(["time", "any"], ([at, zone]) => value(at!.sql, { ...at!.type, zone: zoneOf(zone!) }, [at!])),
  toTypeName: special(["any"], ([x], call) => value(text(clickhouseName(x!.type, call.timezone)), typeOf("string"))),
  toNullable: special(["any"], ([x]) => ({ ...x!, type: optional(x!.type) })),
  materialize: special(["any"], ([x]) => x!),
  identity: special(["any"], ([x]) => x!),
};

/** A time zone by a literal. */
export function zoneOf(argument: Value): string {
  const name = literalText(argument, "The time zone");
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch {
    throw new HogqlError(`Unknown time zone '${name.slice(0, 50)}'.`);
  }
}
