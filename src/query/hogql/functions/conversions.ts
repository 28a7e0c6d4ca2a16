import { HogqlError } from "../../errors.ts";
import { bind, integer, sql } from "../../sql.ts";
import { asBool, asDate, asDatetime, asFloat, asInt, asText, asUuid } from "../convert.ts";
import { typeOf, type Value, value } from "../types.ts";
import { type CallContext, type FunctionSpec, special } from "./spec.ts";

/** A conversion that gives NULL where the value cannot be read. */
const conversion = (to: (from: Value, call: CallContext) => Value): FunctionSpec =>
  special(["any"], ([from], call) => to(from!, call));

const toInt = conversion((from) => asInt(from));
const toFloat = conversion((from) => asFloat(from));

/** From one kind to another. */
export const CONVERSIONS: Record<string, FunctionSpec> = {
  toString: conversion(asText),
  toInt,
  toInt64: toInt,
  toIntOrZero: special(["any"], ([from]) =>
    value(sql`coalesce(${asInt(from!).sql}, ${integer(0)})`, typeOf("int"), [from!]),
  ),
  toFloat,
  toFloat64: toFloat,
  toFloatOrZero: special(["any"], ([from]) =>
    value(sql`coalesce(${asFloat(from!).sql}, ${bind(0, "DOUBLE")})`, typeOf("float"), [from!]),
  ),
  toBool: conversion((from) => asBool(from)),
  toUUID: conversion((from) => asUuid(from)),
  toDate: conversion(asDate),
  toDateTime: special(["any", "any?"], ([from, zone], call) => {
    if (zone === undefined) return asDatetime(from!, call);
    if (typeof zone.constant !== "string") throw new HogqlError("The time zone must be a string literal.");
    return asDatetime(from!, { ...call, timezone: checkedZone(zone.constant) });
  }),
};

function checkedZone(name: string): string {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch {
    throw new HogqlError(`Unknown time zone '${name.slice(0, 50)}'.`);
  }
}
