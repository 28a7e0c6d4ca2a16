import { HogqlError } from "../../shape/errors.ts";
import { integer, join, NULL, type Sql, sql, text } from "../../sql/sql.ts";
import { asText } from "../../value/convert.ts";
import { arrayOf, describe, type Type, typeOf, type Value, value } from "../../value/types.ts";
import { bound } from "./bound.ts";
import { atMost } from "./sizes.ts";
import { type FunctionSpec, literalText, scalar, special } from "./spec.ts";

const TEXT_LIST: Type = arrayOf(typeOf("string"));

const ofText = (write: (x: Sql) => Sql) => scalar(["text"], "string", write);

/** Of texts alone: ClickHouse hashes the bytes of a value, and only a text has the same ones here. */
const cityHash64 = special(["any", "any*"], (args) => {
  const other = args.find(({ type }) => type.kind !== "string" && type.kind !== "null");
  if (other !== undefined)
    throw new HogqlError(`cityHash64 takes texts, not ${describe(other.type)}: use toString(…).`);
  const texts = args.map(({ sql: text }) => sql`CAST(${text} AS VARCHAR)`);
  const isNullable = args.some(({ type }) => type.nullable);
  return value(
    sql`weir_city_hash64(${join(texts, ", ")})`,
    { ...typeOf("int", isNullable), clickhouse: "UInt64" },
    args,
  );
});

/** From a place on (from -1 backwards, 0 is nowhere), so many characters, or with a negative number all but so many at the end. */
const substring = special(["text", "int", "int?"], ([x, from, n], call) => {
  const isNullable = [x, from, n].some((one) => one?.type.nullable);
  // Enough for all that is behind a place, also one before the text.
  const rest = sql`(length(${x!.sql}) + abs(${from!.sql}))`;
  const packed = sql`struct_pack(x := ${x!.sql}, i := ${from!.sql}, n := ${n?.sql ?? rest})`;
  const written = bound(packed, call, (known) => {
    const [all, i, count] = [
      sql`struct_extract(${known}, 'x')`,
      sql`struct_extract(${known}, 'i')`,
      sql`struct_extract(${known}, 'n')`,
    ];
    const start = sql`CASE WHEN ${i} < 0 THEN length(${all}) + ${i} + 1 ELSE ${i} END`;
    const end = sql`CASE WHEN ${count} < 0 THEN length(${all}) + ${count} ELSE (${start}) + ${count} - 1 END`;
    const first = sql`greatest(${start}, 1)`;
    return sql`CASE WHEN ${all} IS NULL OR ${i} IS NULL OR ${count} IS NULL THEN NULL WHEN ${i} = 0 THEN '' ELSE substring(${all}, ${first}, greatest((${end}) - ${first} + 1, 0)) END`;
  });
  return value(written, typeOf("string", isNullable), [x!, from!]);
});

/** Where a text begins in another, counted from one; 0 where it does not. `start`: looked for from there on. */
const position = (fold: (x: Sql) => Sql) =>
  scalar(["text", "text", "int?"], "int", (x, y, start) => {
    const [all, wanted] = [fold(x!), fold(y!)];
    if (start === undefined) return sql`instr(${all}, ${wanted})`;
    const first = sql`CASE WHEN ${start} < 1 THEN 1 ELSE ${start} END`;
    const rest = sql`instr(substring(${all}, ${first}), ${wanted})`;
    const isBehind = sql`${start} > length(${all}) + 1`;
    return sql`CASE WHEN ${isBehind} OR ${rest} = 0 THEN 0 ELSE ${rest} + ${first} - 1 END`;
  });

const same = (x: Sql): Sql => x;
const lower = (x: Sql): Sql => sql`lower(${x})`;

/** A text that is NULL is an empty one where an array comes of it, as in ClickHouse: its arrays are never NULL. */
export const orEmpty = (x: Value): Sql => (x.type.nullable ? sql`coalesce(${x.sql}, '')` : x.sql);

/** The parts of a text, at most so many; by nothing its characters. */
const split = (write: (x: Sql, by: Sql) => Sql): FunctionSpec =>
  special(["text", "text", "int?"], ([by, x, most]) => {
    const all = write(orEmpty(x!), by!.sql);
    const list = sql`CASE WHEN ${by!.sql} = '' AND ${orEmpty(x!)} = '' THEN [] ELSE ${all} END`;
    const limited = sql`list_slice(${list}, 1, CASE WHEN ${most?.sql ?? NULL} > 0 THEN ${most?.sql ?? NULL} ELSE len(${list}) END)`;
    return value(most === undefined ? list : limited, TEXT_LIST, [x!, by!]);
  });

const splitAt = (pattern: string, keep: (list: Sql) => Sql = (list) => list): FunctionSpec =>
  special(["text"], ([x]) => {
    const parts = sql`string_split_regex(${orEmpty(x!)}, ${text(pattern)})`;
    return value(keep(sql`list_filter(${parts}, lambda x: x <> '')`), TEXT_LIST, [x!]);
  });

const pad = (name: Sql): FunctionSpec =>
  special(["text", "int", "text?"], ([x, n, filler]) => {
    const blank = text(" ");
    const by = filler === undefined ? blank : sql`CASE WHEN ${filler.sql} = '' THEN ${blank} ELSE ${filler.sql} END`;
    const padded = sql`${name}(${x!.sql}, CAST(${n!.sql} AS INTEGER), ${by})`;
    return value(atMost(n!.sql, "padding", padded), typeOf("string", x!.type.nullable || n!.type.nullable), [x!, n!]);
  });

const repeat = special(["text", "int"], ([x, n]) => {
  const repeated = sql`repeat(${x!.sql}, ${n!.sql})`;
  const length = sql`(CAST(length(${x!.sql}) AS HUGEINT) * ${n!.sql})`;
  return value(atMost(length, "repeat", repeated), typeOf("string", x!.type.nullable || n!.type.nullable), [x!, n!]);
});

/** `{}` and `{0}` of a literal pattern stand for the arguments. */
const format = special(["any", "any*"], ([pattern, ...args], call) => {
  const texts = args.map((argument) => asText(argument, call));
  let next = 0;
  const pieces = literalText(pattern, "The pattern of format")
    .split(/(\{\{|\}\}|\{\d*\})/)
    .map((piece): Sql => {
      if (piece === "{{" || piece === "}}") return text(piece[0]!);
      if (!/^\{\d*\}$/.test(piece)) return text(piece);
      const index = piece === "{}" ? next++ : Number(piece.slice(1, -1));
      if (texts[index] === undefined) throw new HogqlError(`The pattern of format has no argument ${index}.`);
      return texts[index].sql;
    });
  return value(
    sql`(${join(pieces, " || ")})`,
    typeOf(
      "string",
      texts.some((one) => one.type.nullable),
    ),
    args,
  );
});

const replaceOne = (x: Sql, y: Sql, z: Sql): Sql =>
  sql`CASE WHEN instr(${x}, ${y}) = 0 OR ${y} = '' THEN ${x} ELSE substring(${x}, 1, instr(${x}, ${y}) - 1) || ${z} || substring(${x}, instr(${x}, ${y}) + length(${y})) END`;

const concatBy = special(["text", "text*"], ([by, ...parts]) => {
  const isNullable = parts.some((part) => part.type.nullable);
  const pieces = parts.flatMap((part, i) => (i === 0 ? [part.sql] : [by!.sql, part.sql]));
  return value(sql`(${join(pieces, " || ")})`, typeOf("string", isNullable), parts);
});

/** Any of several texts in one. */
const searchAny = (fold: (x: Sql) => Sql): FunctionSpec =>
  scalar(
    ["text", "array"],
    "bool",
    (x, wanted) =>
      sql`CASE WHEN ${x} IS NOT NULL THEN len(list_filter(${wanted}, lambda x: contains(${fold(x)}, ${fold(sql`x`)}))) > 0 END`,
  );

const emptiness = (isEmpty: boolean): FunctionSpec =>
  special(["any"], ([x], call) => {
    const zero = isEmpty ? sql`= 0` : sql`> 0`;
    if (x!.type.kind === "array") return value(sql`(len(${x!.sql}) ${zero})`, typeOf("bool"), [x!]);
    if (x!.type.kind === "map") return value(sql`(cardinality(${x!.sql}) ${zero})`, typeOf("bool"), [x!]);
    return value(sql`(strlen(${asText(x!, call).sql}) ${zero})`, typeOf("bool", x!.type.nullable), [x!]);
  });

const length = special(["any"], ([x], call) => {
  if (x!.type.kind === "array") return value(sql`len(${x!.sql})`, typeOf("int"), [x!]);
  if (x!.type.kind === "map") return value(sql`CAST(cardinality(${x!.sql}) AS BIGINT)`, typeOf("int"), [x!]);
  const bytes = asText(x!, call);
  return value(sql`strlen(${bytes.sql})`, typeOf("int", bytes.type.nullable), [x!]);
});

const ends = (name: Sql) => scalar(["text", "text"], "bool", (x, y) => sql`${name}(${x}, ${y})`);
const likeness = (name: Sql) => scalar(["text", "text"], "float", (x, y) => sql`${name}(${x}, ${y})`);
const distance = (name: Sql) => scalar(["text", "text"], "int", (x, y) => sql`${name}(${x}, ${y})`);

/** Trims blanks, or the given characters. */
const trimming = (name: Sql) =>
  scalar(["text", "text?"], "string", (x, chars) =>
    chars === undefined ? sql`${name}(${x!})` : sql`${name}(${x!}, ${chars})`,
  );

const left = scalar(["text", "int"], "string", (x, n) => sql`left(${x}, ${n})`);
const right = scalar(["text", "int"], "string", (x, n) => sql`right(${x}, ${n})`);
const replaceAll = scalar(["text", "text", "text"], "string", (x, y, z) => sql`replace(${x}, ${y}, ${z})`);

/** Base 64 may come without what fills it up. */
const padded = (x: Sql): Sql => sql`(${x} || repeat('=', (4 - length(${x}) % 4) % 4))`;

/** "" where a text that is there could not be read. */
const orElse = (x: Sql, read: Sql): Sql => sql`CASE WHEN ${x} IS NOT NULL THEN coalesce(${read}, '') END`;

/** Texts. `length` counts bytes; every other function counts characters, with or without UTF8 in its name. */
export const TEXTS: Record<string, FunctionSpec> = {
  lower: ofText(lower),
  lowerUTF8: ofText(lower),
  upper: ofText((x) => sql`upper(${x})`),
  upperUTF8: ofText((x) => sql`upper(${x})`),
  initcap: ofText(
    (x) =>
      sql`list_reduce(list_transform(regexp_extract_all(${x}, '[A-Za-z0-9]+|[^A-Za-z0-9]+'), lambda x: upper(x[1]) || lower(x[2:])), lambda a, b: a || b, '')`,
  ),
  length,
  lengthUTF8: scalar(["text"], "int", (x) => sql`length(${x})`),
  empty: emptiness(true),
  notEmpty: emptiness(false),
  concat: scalar(["text", "text*"], "string", (...xs) => sql`(${join(xs, " || ")})`),
  concatWithSeparator: concatBy,
  format,
  substring,
  substr: substring,
  substringUTF8: substring,
  mid: substring,
  left,
  leftUTF8: left,
  right,
  rightUTF8: right,
  position: position(same),
  positionUTF8: position(same),
  positionCaseInsensitive: position(lower),
  positionCaseInsensitiveUTF8: position(lower),
  countSubstrings: scalar(
    ["text", "text"],
    "int",
    (x, y) =>
      sql`CASE WHEN ${y} = '' AND ${x} IS NOT NULL THEN 0 ELSE (length(${x}) - length(replace(${x}, ${y}, ''))) // nullif(length(${y}), 0) END`,
  ),
  multiSearchAny: searchAny(same),
  multiSearchAnyCaseInsensitive: searchAny(lower),
  replace: replaceAll,
  replaceAll,
  replaceOne: scalar(["text", "text", "text"], "string", replaceOne),
  translate: scalar(["text", "text", "text"], "string", (x, y, z) => sql`translate(${x}, ${y}, ${z})`),
  startsWith: ends(sql`starts_with`),
  endsWith: ends(sql`ends_with`),
  trim: trimming(sql`trim`),
  trimBoth: trimming(sql`trim`),
  trimLeft: trimming(sql`ltrim`),
  trimRight: trimming(sql`rtrim`),
  leftPad: pad(sql`lpad`),
  leftPadUTF8: pad(sql`lpad`),
  rightPad: pad(sql`rpad`),
  rightPadUTF8: pad(sql`rpad`),
  repeat,
  reverse: special(["any"], ([x], call) =>
    x!.type.kind === "array"
      ? value(sql`list_reverse(${x!.sql})`, x!.type, [x!])
      : value(sql`reverse(${asText(x!, call).sql})`, typeOf("string", x!.type.nullable), [x!]),
  ),
  reverseUTF8: ofText((x) => sql`reverse(${x})`),
  ascii: scalar(["text"], "int", (x) => sql`ascii(${x})`),
  splitByChar: split((x, by) => sql`string_split(${x}, ${by})`),
  splitByString: split((x, by) => sql`string_split(${x}, ${by})`),
  splitByRegexp: split((x, by) => sql`string_split_regex(${x}, ${by}, 's')`),
  splitByWhitespace: splitAt("\\s+"),
  splitByNonAlpha: splitAt("[[:space:][:punct:]]+"),
  alphaTokens: splitAt("[^A-Za-z]+"),
  levenshteinDistance: distance(sql`levenshtein`),
  editDistance: distance(sql`levenshtein`),
  damerauLevenshteinDistance: distance(sql`damerau_levenshtein`),
  jaroSimilarity: likeness(sql`jaro_similarity`),
  jaroWinklerSimilarity: likeness(sql`jaro_winkler_similarity`),
  base64Encode: ofText((x) => sql`to_base64(encode(${x}))`),
  base64Decode: ofText((x) => sql`decode(from_base64(${padded(x)}))`),
  tryBase64Decode: ofText((x) => orElse(x, sql`TRY(decode(from_base64(${padded(x)})))`)),
  hex: special(["any"], ([x], call) => {
    // A hash is kept as its digits already.
    if (x!.type.clickhouse?.startsWith("FixedString")) return value(x!.sql, typeOf("string", x!.type.nullable), [x!]);
    if (x!.type.kind === "int") {
      const digits = sql`to_hex(${x!.sql})`;
      const whole = sql`upper(CASE WHEN length(${digits}) % 2 = 1 THEN '0' || ${digits} ELSE ${digits} END)`;
      return value(whole, typeOf("string", x!.type.nullable), [x!]);
    }
    return value(sql`hex(encode(${asText(x!, call).sql}))`, typeOf("string", x!.type.nullable), [x!]);
  }),
  unhex: ofText((x) => orElse(x, sql`TRY(decode(unhex(${x})))`)),
  MD5: scalar(["text"], { ...typeOf("string"), clickhouse: "FixedString(16)" }, (x) => sql`upper(md5(${x}))`),
  SHA1: scalar(["text"], { ...typeOf("string"), clickhouse: "FixedString(20)" }, (x) => sql`upper(sha1(${x}))`),
  SHA256: scalar(["text"], { ...typeOf("string"), clickhouse: "FixedString(32)" }, (x) => sql`upper(sha256(${x}))`),
  cityHash64,
  toValidUTF8: ofText(same),
  generateUUIDv4: scalar([], "uuid", () => sql`uuid()`),
  isIPv4String: scalar(
    ["text"],
    "bool",
    (x) => sql`regexp_full_match(${x}, '((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.|$)){4}')`,
    false,
  ),
  sortableSemver: scalar(
    ["text"],
    arrayOf(typeOf("int")),
    (x) =>
      sql`list_transform(string_split(regexp_extract(coalesce(${x}, ''), '[0-9]+(\\.[0-9]+)+'), '.'), lambda x: coalesce(TRY_CAST(x AS BIGINT), ${integer(0)}))`,
    false,
  ),
};
