import type { Json, JsonObject } from "../../../types/mod.ts";
import { integerOrSame, listOf, numberOf, objectOf, Properties, textOf } from "../../mapping/mod.ts";

/** A list of `{key, value: {string_value | int_value | float_value | double_value}}` as properties, each with the value that is set. */
export function paramsOf(list: Json | undefined): Properties {
  const params = new Properties();
  for (const item of listOf(list)) {
    const param = objectOf(item);
    const key = textOf(param?.key);
    if (key !== null) params.set(key, setValue(objectOf(param?.value) ?? {}));
  }
  return params;
}

function setValue(value: JsonObject): Json | undefined {
  if (isGiven(value.string_value)) return value.string_value;
  if (isGiven(value.int_value)) return integerOrSame(value.int_value);
  const double = isGiven(value.float_value) ? value.float_value : value.double_value;
  return isGiven(double) ? (numberOf(double) ?? double) : undefined;
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined && value !== null;
}

/** A value in brackets stands for none: `(not set)`, `(direct)`, `(none)`. */
export function realText(value: Json | undefined): string | null {
  const text = textOf(value);
  return text === null || /^\(.*\)$/.test(text) ? null : text;
}
