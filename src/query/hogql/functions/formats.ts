import { HogqlError } from "../../errors.ts";
import { sql, text } from "../../sql.ts";
import { toUtc } from "../../zone.ts";
import { localOf } from "../convert.ts";
import { typeOf, type Value, value } from "../types.ts";
import { zoneOf } from "./conversions.ts";
import { type FunctionSpec, literalText, special } from "./spec.ts";

/** ClickHouse's format letters, by what the engine has for them. */
const LETTERS: Record<string, string> = {
  a: "%a",
  b: "%b",
  c: "%-m",
  C: "%C",
  d: "%d",
  D: "%m/%d/%y",
  e: "%-d",
  F: "%Y-%m-%d",
  f: "%f",
  H: "%H",
  h: "%I",
  i: "%M",
  I: "%I",
  j: "%j",
  k: "%-H",
  l: "%-I",
  m: "%m",
  M: "%B",
  n: "\n",
  p: "%p",
  r: "%I:%M %p",
  R: "%H:%M",
  s: "%S",
  S: "%S",
  t: "\t",
  T: "%H:%M:%S",
  u: "%u",
  V: "%V",
  w: "%w",
  W: "%A",
  y: "%y",
  Y: "%Y",
  G: "%G",
  z: "%z",
  "%": "%%",
};

function engineFormat(format: Value): string {
  return literalText(format, "The format").replace(/%(.?)/gs, (whole, letter: string) => {
    const known = Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined;
    if (known === undefined) throw new HogqlError(`The format has no letter '${whole}'.`);
    return known;
  });
}

/** `formatDateTime(time, format, zone?)`. */
export const formatDateTime: FunctionSpec = special(["time", "any", "any?"], ([at, format, zone], call) => {
  const shown = zone === undefined ? at! : { ...at!, type: { ...at!.type, zone: zoneOf(zone) } };
  const written = sql`strftime(${localOf(shown, call)}, ${text(engineFormat(format!))})`;
  return value(written, typeOf("string", at!.type.nullable), [at!]);
});

/** `parseDateTime(text, format, zone?)`: NULL where the text has another form. */
export const parseDateTime: FunctionSpec = special(["text", "any", "any?"], ([x, format, zone], call) => {
  const local = sql`try_strptime(${x!.sql}, ${text(engineFormat(format!))})`;
  const timezone = zone === undefined ? call.timezone : zoneOf(zone);
  return value(toUtc(local, timezone), typeOf("datetime", true), [x!]);
});
