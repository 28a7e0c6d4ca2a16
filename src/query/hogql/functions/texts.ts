import { HogqlError } from "../../errors.ts";
import { integer, join, type Sql, sql, text } from "../../sql.ts";
import { asText } from "../convert.ts";
import { arrayOf, type Type, typeOf, value } from "../types.ts";
import { atMost } from "./sizes.ts";
import { type FunctionSpec, literalText, scalar, special } from "./spec.ts";

const TEXT_LIST: Type = arrayOf(typeOf("string"));

const ofText = (write: (x: Sql) => Sql) => scalar(["text"], "string", write);

const substring = scalar(["text", "int", "int?"], "string", (x, from, n) =>
  n === undefined ? sql`substring(${x}, ${from!})` : sql`substring(${x}, ${from!}, ${n})`,
);

/** Where a text begins in another, counted from one; 0 where it does not. `start`: looked for from there on. */
const position = (fold: (x: Sql) => Sql) =>
  scalar(["text", "text", "int?"], "int", (x, y, start) => {
    const [all, wanted] = [fold(x!), fold(y!)];
    if (start === undefined) return sql`instr(${all}, ${wanted})`;
    const rest = sql`instr(substring(${all}, ${start}), ${wanted})`;
    return sql`CASE WHEN ${rest} = 0 THEN 0 ELSE ${rest} + ${start} - 1 END`;
  });

const same = (x: Sql): Sql => x;
const lower = (x: Sql): Sql => sql`lower(${x})`;

const split = (write: (x: Sql, by: Sql) => Sql): FunctionSpec =>
  special(["text", "text", "int?"], ([by, x, most]) => {
    const list = write(x!.sql, by!.sql);
    return value(most === undefined ? list : sql`list_slice(${list}, 1, ${most.sql})`, TEXT_LIST, [x!, by!]);
  });

const pad = (name: Sql): FunctionSpec =>
  special(["text", "int", "text?"], ([x, n, filler]) => {
    const padded = sql`${name}(${x!.sql}, CAST(${n!.sql} AS INTEGER), ${filler?.sql ?? text(" ")})`;
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
  sql`CASE WHEN instr(${x}, ${y}) = 0 THEN ${x} ELSE substring(${x}, 1, instr(${x}, ${y}) - 1) || ${z} || substring(${x}, instr(${x}, ${y}) + length(${y})) END`;

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
    (x, wanted) => sql`(len(list_filter(${wanted}, lambda x: contains(${fold(x)}, ${fold(sql`x`)}))) > 0)`,
  );

const emptiness = (isEmpty: boolean): FunctionSpec =>
  special(["any"], ([x], call) => {
    const zero = isEmpty ? sql`= 0` : sql`> 0`;
    if (x!.type.kind === "array") return value(sql`(len(${x!.sql}) ${zero})`, typeOf("bool"), [x!]);
    if (x!.type.kind === "map") return value(sql`(cardinality(${x!.sql}) ${zero})`, typeOf("bool"), [x!]);
    return value(sql`(strlen(coalesce(${asText(x!, call).sql}, '')) ${zero})`, typeOf("bool"), [x!]);
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
const words = (x: Sql): Sql => sql`list_filter(string_split_regex(${x}, '[^A-Za-z]+'), lambda x: x <> '')`;

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
    (x, y) => sql`((length(${x}) - length(replace(${x}, ${y}, ''))) // nullif(length(${y}), 0))`,
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
  splitByRegexp: split((x, by) => sql`string_split_regex(${x}, ${by})`),
  splitByWhitespace: scalar(
    ["text"],
    TEXT_LIST,
    (x) => sql`list_filter(string_split_regex(${x}, '\\s+'), lambda x: x <> '')`,
  ),
  splitByNonAlpha: scalar(["text"], TEXT_LIST, words),
  alphaTokens: scalar(["text"], TEXT_LIST, words),
  levenshteinDistance: distance(sql`levenshtein`),
  editDistance: distance(sql`levenshtein`),
  damerauLevenshteinDistance: distance(sql`damerau_levenshtein`),
  jaroSimilarity: likeness(sql`jaro_similarity`),
  jaroWinklerSimilarity: likeness(sql`jaro_winkler_similarity`),
  base64Encode: ofText((x) => sql`to_base64(encode(${x}))`),
  base64Decode: ofText((x) => sql`decode(from_base64(${x}))`),
  tryBase64Decode: ofText((x) => sql`coalesce(TRY(decode(from_base64(${x}))), '')`),
  hex: special(["any"], ([x], call) => {
    // A hash is kept as its digits already.
    if (x!.type.clickhouse?.startsWith("FixedString")) return value(x!.sql, typeOf("string", x!.type.nullable), [x!]);
    if (x!.type.kind === "int") return value(sql`upper(to_hex(${x!.sql}))`, typeOf("string", x!.type.nullable), [x!]);
    return value(sql`hex(encode(${asText(x!, call).sql}))`, typeOf("string", x!.type.nullable), [x!]);
  }),
  unhex: ofText((x) => sql`coalesce(TRY(decode(unhex(${x}))), '')`),
  MD5: scalar(["text"], { ...typeOf("string"), clickhouse: "FixedString(16)" }, (x) => sql`upper(md5(${x}))`),
  SHA1: scalar(["text"], { ...typeOf("string"), clickhouse: "FixedString(20)" }, (x) => sql`upper(sha1(${x}))`),
  SHA256: scalar(["text"], { ...typeOf("string"), clickhouse: "FixedString(32)" }, (x) => sql`upper(sha256(${x}))`),
  toValidUTF8: ofText(same),
  generateUUIDv4: scalar([], "uuid", () => sql`uuid()`),
  isIPv4String: scalar(
    ["text"],
    "bool",
    (x) => sql`regexp_full_match(${x}, '((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.|$)){4}')`,
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
