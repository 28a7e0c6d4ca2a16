import { HogqlError } from "../../errors.ts";
import { pointerOf } from "../../properties.ts";
import { bind, FALSE, integer, join, type Sql, sql, text } from "../../sql.ts";
import { compare } from "../compare.ts";
import { asBool, asDate, asDatetime, asFloat, asInt, asText, asUuid, unify } from "../convert.ts";
import { type Kind, type Type, typeOf, type Value, value } from "../types.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

/** A conversion that gives NULL where the value cannot be read. */
const conversion = (to: (from: Value, call: CallContext) => Value): FunctionSpec =>
  special(["any"], ([from], call) => to(from!, call));

const toInt = conversion((from) => asInt(from));
const toFloat = conversion((from) => asFloat(from));

const CONVERSIONS: Record<string, FunctionSpec> = {
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

/** CASE over (condition, value) pairs and a last value. */
function choose(args: Value[], call: CallContext): Value {
  if (args.length % 2 === 0)
    throw new HogqlError(`Function '${call.name}' expects pairs of a condition and a value, and a last value.`);
  const branches = args.filter((_, i) => i % 2 === 1 || i === args.length - 1);
  const { values, type } = unify(branches, call);
  const whens = values.slice(0, -1).map((branch, i) => {
    const condition = CONDITION.emit([args[2 * i]!], call, null).sql;
    return sql`WHEN ${condition} THEN ${branch.sql}`;
  });
  return value(sql`CASE ${join(whens, " ")} ELSE ${values.at(-1)!.sql} END`, { ...type, isJson: undefined }, args);
}

const CONDITION = scalar(["condition"], "bool", (condition) => condition);

function firstKnown(args: Value[], call: CallContext): Value {
  const { values, type } = unify(args, call);
  const nullable = values.every((argument) => argument.type.nullable);
  return value(
    sql`coalesce(${join(
      values.map((argument) => argument.sql),
      ", ",
    )})`,
    { ...type, nullable },
    args,
  );
}

/** A condition that is wholly in a deciding place decides there itself. */
const inherits = (_index: number, isPositive: boolean): boolean => isPositive;

/** `CASE x WHEN a THEN b … ELSE c END`, as the parser writes it: x, a, b, …, c. */
function chooseEqual([subject, ...rest]: Value[], call: CallContext): Value {
  const isTest = (i: number): boolean => i % 2 === 0 && i < rest.length - 1;
  return choose(
    rest.map((part, i) => (isTest(i) ? compare("==", subject!, part, true, call) : part)),
    call,
  );
}

const comparison = (op: string): FunctionSpec =>
  special(["any", "any"], ([left, right], call) => compare(op, left!, right!, false, call));

const CONDITIONS: Record<string, FunctionSpec> = {
  if: { ...special(["any", "any", "any"], choose), isCondition: (index) => index === 0 },
  multiIf: { ...special(["any", "any", "any", "any*"], choose), isCondition: (index) => index % 2 === 0 },
  _caseWithExpression: special(["any", "any", "any", "any*"], chooseEqual),
  ifNull: special(["any", "any"], firstKnown),
  coalesce: special(["any", "any*"], firstKnown),
  nullIf: special(["any", "any"], ([left, right], call) => {
    const isEqual = compare("==", left!, right!, true, call).sql;
    return value(sql`CASE WHEN ${isEqual} THEN NULL ELSE ${left!.sql} END`, { ...left!.type, nullable: true }, [
      left!,
      right!,
    ]);
  }),
  isNull: scalar(["any"], "bool", (x) => sql`(${x} IS NULL)`, false),
  isNotNull: scalar(["any"], "bool", (x) => sql`(${x} IS NOT NULL)`, false),
  assumeNotNull: special(["any"], ([x]) => ({ ...x!, type: { ...x!.type, nullable: false } })),
  and: {
    ...scalar(["condition", "condition*"], "bool", (...xs) => sql`(${join(xs, " AND ")})`),
    isCondition: inherits,
  },
  or: { ...scalar(["condition", "condition*"], "bool", (...xs) => sql`(${join(xs, " OR ")})`), isCondition: inherits },
  not: scalar(["condition"], "bool", (x) => sql`(NOT ${x})`),
  equals: comparison("=="),
  notEquals: comparison("!="),
  less: comparison("<"),
  lessOrEquals: comparison("<="),
  greater: comparison(">"),
  greaterOrEquals: comparison(">="),
  like: comparison("like"),
  notLike: comparison("not like"),
  ilike: comparison("ilike"),
  notILike: comparison("not ilike"),
  match: comparison("=~"),
};

const ofNumber = (write: (x: Sql) => Sql): FunctionSpec => scalar(["float"], "float", write);

/** Rounds to whole numbers or to n places, keeping whole numbers whole. */
const rounding = (write: (x: Sql) => Sql): FunctionSpec =>
  special(["number", "int?"], ([x, places]) => {
    if (x!.type.kind === "int" && places === undefined) return x!;
    if (places === undefined) return value(write(x!.sql), { ...x!.type }, [x!]);
    const factor = sql`pow(10, ${places.sql})`;
    return value(sql`(${write(sql`(${x!.sql} * ${factor})`)} / ${factor})`, typeOf("float", x!.type.nullable), [x!]);
  });

const sameKind = (write: (xs: Sql) => Sql): FunctionSpec =>
  special(["any", "any*"], (args, call) => {
    const { values, type } = unify(args, call);
    return value(
      write(
        join(
          values.map((argument) => argument.sql),
          ", ",
        ),
      ),
      type,
      args,
    );
  });

const NUMBERS: Record<string, FunctionSpec> = {
  // Halves go to the even neighbour, as in ClickHouse.
  round: special(["number", "int?"], ([x, places]) => {
    const n = places?.sql ?? integer(0);
    const rounded =
      x!.type.kind === "int"
        ? sql`CAST(round_even(${x!.sql}, CAST(${n} AS INTEGER)) AS BIGINT)`
        : sql`round_even(${x!.sql}, CAST(${n} AS INTEGER))`;
    return value(rounded, { ...x!.type }, [x!]);
  }),
  floor: rounding((x) => sql`floor(${x})`),
  ceil: rounding((x) => sql`ceil(${x})`),
  abs: scalar(["number"], "same", (x) => sql`abs(${x})`),
  sign: scalar(["float"], "int", (x) => sql`CAST(sign(${x}) AS BIGINT)`),
  sqrt: ofNumber((x) => sql`CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`),
  exp: ofNumber((x) => sql`exp(${x})`),
  ln: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN ln(${x}) END`),
  log: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN ln(${x}) END`),
  log2: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN log2(${x}) END`),
  log10: ofNumber((x) => sql`CASE WHEN ${x} > 0 THEN log10(${x}) END`),
  pow: scalar(["float", "float"], "float", (x, y) => sql`pow(${x}, ${y})`),
  intDiv: scalar(["int", "int"], "int", (x, y) => sql`(${x} // ${y})`, true),
  modulo: scalar(["number", "number"], "same", (x, y) => sql`(${x} % ${y})`, true),
  greatest: sameKind((xs) => sql`greatest(${xs})`),
  least: sameKind((xs) => sql`least(${xs})`),
};

const TEXTS: Record<string, FunctionSpec> = {
  lower: scalar(["text"], "string", (x) => sql`lower(${x})`),
  upper: scalar(["text"], "string", (x) => sql`upper(${x})`),
  length: special(["any"], ([x], call) => {
    if (x!.type.kind === "array") return value(sql`len(${x!.sql})`, typeOf("int"), [x!]);
    const bytes = asText(x!, call);
    return value(sql`strlen(${bytes.sql})`, typeOf("int", bytes.type.nullable), [x!]);
  }),
  lengthUTF8: scalar(["text"], "int", (x) => sql`length(${x})`),
  concat: scalar(["text", "text*"], "string", (...xs) => sql`(${join(xs, " || ")})`),
  substring: scalar(["text", "int", "int?"], "string", (x, from, n) =>
    n === undefined ? sql`substring(${x}, ${from!})` : sql`substring(${x}, ${from!}, ${n})`,
  ),
  position: scalar(["text", "text"], "int", (x, y) => sql`instr(${x}, ${y})`),
  replaceAll: scalar(["text", "text", "text"], "string", (x, y, z) => sql`replace(${x}, ${y}, ${z})`),
  replaceRegexpAll: scalar(["text", "text", "text"], "string", (x, y, z) => sql`regexp_replace(${x}, ${y}, ${z}, 'g')`),
  replaceRegexpOne: scalar(["text", "text", "text"], "string", (x, y, z) => sql`regexp_replace(${x}, ${y}, ${z})`),
  startsWith: scalar(["text", "text"], "bool", (x, y) => sql`starts_with(${x}, ${y})`),
  endsWith: scalar(["text", "text"], "bool", (x, y) => sql`ends_with(${x}, ${y})`),
  trim: scalar(["text"], "string", (x) => sql`trim(${x})`),
  trimLeft: scalar(["text"], "string", (x) => sql`ltrim(${x})`),
  trimRight: scalar(["text"], "string", (x) => sql`rtrim(${x})`),
  reverse: scalar(["text"], "string", (x) => sql`reverse(${x})`),
  empty: scalar(["text"], "bool", (x) => sql`(coalesce(${x}, '') = '')`, false),
  notEmpty: scalar(["text"], "bool", (x) => sql`(coalesce(${x}, '') <> '')`, false),
};

/** The pointer of `JSONExtract…(json, 'a', 1, …)`: keys and positions must be literals. */
function pathOf(args: readonly Value[]): Sql {
  const path = args.map(({ constant }) => {
    if (typeof constant === "string" || (typeof constant === "number" && constant >= 1)) return constant;
    throw new HogqlError("A JSON path must consist of string and number literals; positions count from one.");
  });
  return text(pointerOf(path));
}

/** A value inside JSON text; a miss gives the type's zero, as in ClickHouse. */
const jsonValue = (kind: Kind, write: (json: Sql, path: Sql) => Sql, miss: Sql): FunctionSpec =>
  special(["text", "any*"], ([json, ...path]) =>
    value(sql`coalesce(${write(safeJson(json!.sql), pathOf(path))}, ${miss})`, typeOf(kind), [json!]),
  );

/** Text that is no JSON is like an empty object. */
const safeJson = (json: Sql): Sql => sql`CASE WHEN json_valid(${json}) THEN ${json} END`;

const JSONS: Record<string, FunctionSpec> = {
  JSONExtractString: jsonValue(
    "string",
    (json, path) =>
      sql`CASE WHEN json_type(${json}, ${path}) = 'VARCHAR' THEN json_extract_string(${json}, ${path}) END`,
    text(""),
  ),
  JSONExtractInt: jsonValue(
    "int",
    (json, path) => sql`TRY_CAST(trunc(TRY_CAST(json_extract_string(${json}, ${path}) AS DOUBLE)) AS BIGINT)`,
    integer(0),
  ),
  JSONExtractFloat: jsonValue(
    "float",
    (json, path) => sql`TRY_CAST(json_extract_string(${json}, ${path}) AS DOUBLE)`,
    bind(0, "DOUBLE"),
  ),
  JSONExtractBool: jsonValue("bool", (json, path) => sql`(json_extract_string(${json}, ${path}) = 'true')`, FALSE),
  JSONExtractRaw: jsonValue("string", (json, path) => sql`CAST(json_extract(${json}, ${path}) AS VARCHAR)`, text("")),
  JSONHas: jsonValue("bool", (json, path) => sql`json_exists(${json}, ${path})`, FALSE),
  JSONLength: jsonValue(
    "int",
    (json, path) =>
      sql`CAST(coalesce(nullif(json_array_length(${json}, ${path}), 0), len(json_keys(${json}, ${path}))) AS BIGINT)`,
    integer(0),
  ),
};

const elementOf = (array: Value): Type => ({ ...(array.type.element ?? typeOf("null")), nullable: true });

const ARRAYS: Record<string, FunctionSpec> = {
  has: scalar(["array", "any"], "bool", (xs, x) => sql`list_contains(${xs}, ${x})`, false),
  arrayElement: special(["array", "int"], ([xs, i]) =>
    value(sql`list_extract(${xs!.sql}, ${i!.sql})`, elementOf(xs!), [xs!, i!]),
  ),
  arrayDistinct: scalar(["array"], "same", (xs) => sql`list_distinct(${xs})`),
  arraySort: scalar(["array"], "same", (xs) => sql`list_sort(${xs})`),
  arrayReverse: scalar(["array"], "same", (xs) => sql`list_reverse(${xs})`),
  arrayStringConcat: scalar(
    ["array", "text?"],
    "string",
    (xs, by) => sql`coalesce(array_to_string(${xs}, ${by ?? text("")}), '')`,
  ),
  splitByString: special(["text", "text"], ([by, x]) =>
    value(sql`string_split(${x!.sql}, ${by!.sql})`, { kind: "array", nullable: false, element: typeOf("string") }, [
      x!,
    ]),
  ),
  splitByChar: special(["text", "text"], ([by, x]) =>
    value(sql`string_split(${x!.sql}, ${by!.sql})`, { kind: "array", nullable: false, element: typeOf("string") }, [
      x!,
    ]),
  ),
};

/** Functions of single values. */
export const SCALARS: Record<string, FunctionSpec> = {
  ...CONVERSIONS,
  ...CONDITIONS,
  ...NUMBERS,
  ...TEXTS,
  ...JSONS,
  ...ARRAYS,
};
