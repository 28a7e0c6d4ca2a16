import { HogqlError } from "../../shape/errors.ts";
import { join, type Sql, sql, text } from "../../sql/sql.ts";
import { toUtc } from "../../time/zone.ts";
import { localOf } from "../../value/convert.ts";
import { typeOf, value } from "../../value/types.ts";
import { bound } from "./bound.ts";
import { zoneOf } from "./conversions.ts";
import { type FunctionSpec, literalText, special } from "./spec.ts";

/** ClickHouse's format letters, by what the engine has for them. */
const LETTERS: Record<string, string> = {
  a: "%a",
  b: "%b",
  c: "%m",
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
  k: "%H",
  l: "%I",
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
  "%": "%%",
};

function engineFormat(format: string): string {
  return format.replace(/%(.?)/gs, (whole, letter: string) => {
    const known = Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined;
    if (known === undefined) throw new HogqlError(`The format has no letter '${whole}'.`);
    return known;
  });
}

/** Letters that the engine lacks, of a local time and the same in UTC. */
const COMPUTED: Record<string, (local: Sql, utc: Sql) => Sql> = {
  Q: (local) => sql`CAST(quarter(${local}) AS VARCHAR)`,
  g: (local) => sql`right(CAST(isoyear(${local}) AS VARCHAR), 2)`,
  C: (local) => sql`lpad(CAST(year(${local}) // 100 AS VARCHAR), 2, '0')`,
  z: (local, utc) => {
    const minutes = sql`(date_diff('second', ${utc}, ${local}) // 60)`;
    const digits = sql`lpad(CAST(abs(${minutes}) // 60 * 100 + abs(${minutes}) % 60 AS VARCHAR), 4, '0')`;
    return sql`(CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END || ${digits})`;
  },
};

/** `formatDateTime(time, format, zone?)`. */
export const formatDateTime: FunctionSpec = special(["time", "any", "any?"], ([at, format, zone], call) => {
  const shown = zone === undefined ? at! : { ...at!, type: { ...at!.type, zone: zoneOf(zone) } };
  const written = bound(sql`struct_pack(l := ${localOf(shown, call)}, u := ${at!.sql})`, call, (known) => {
    const pieces = literalText(format, "The format")
      .split(/(%[QgCz]|%%)/)
      .filter((piece) => piece !== "");
    const texts = pieces.map((piece): Sql => {
      const computed = piece.length === 2 && piece[0] === "%" ? COMPUTED[piece[1]!] : undefined;
      if (computed !== undefined)
        return computed(sql`struct_extract(${known}, 'l')`, sql`struct_extract(${known}, 'u')`);
      return sql`strftime(struct_extract(${known}, 'l'), ${text(engineFormat(piece))})`;
    });
    return texts.length === 0 ? text("") : join(texts, " || ");
  });
  return value(written, typeOf("string", at!.type.nullable), [at!]);
});

/** `parseDateTime(text, format, zone?)`: NULL where the text has another form. */
export const parseDateTime: FunctionSpec = special(["text", "any", "any?"], ([x, format, zone], call) => {
  const local = sql`try_strptime(${x!.sql}, ${text(engineFormat(literalText(format, "The format")))})`;
  const timezone = zone === undefined ? call.timezone : zoneOf(zone);
  return value(toUtc(local, timezone), typeOf("datetime", true), [x!]);
});
