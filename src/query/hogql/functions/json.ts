import { HogqlError } from "../../shape/errors.ts";
import { asNumber, digitsOf, pointerOf } from "../../sql/properties.ts";
import { bind, FALSE, integer, join, type Sql, sql, text } from "../../sql/sql.ts";
import { tupleOfValues } from "../../value/access.ts";
import { asText } from "../../value/convert.ts";
import { engineType, parseType } from "../../value/typeNames.ts";
import {
  arrayOf,
  elementOf,
  type Kind,
  optional,
  orZero,
  type Type,
  tupleOf,
  typeOf,
  type Value,
  value,
  zeroOf,
} from "../../value/types.ts";
import { bound } from "./bound.ts";
import { type CallContext, type FunctionSpec, literalText, scalar, special } from "./spec.ts";

type Read = (json: Sql, path: Sql) => Sql;

/** A key as a step of a pointer; one that is no literal is put in when it runs. */
const keyStep = (step: Value): Sql =>
  typeof step.constant === "string"
    ? text(pointerOf([step.constant]))
    : sql`('/' || replace(replace(${step.sql}, '~', '~0'), '/', '~1'))`;

const memberPath = (path: Sql, key: Sql): Sql =>
  sql`(${path} || '/' || replace(replace(${key}, '~', '~0'), '/', '~1'))`;

/** The value at a place from one on, or from -1 backwards: of an array an element, of an object a member. */
function atPlace(json: Sql, place: Sql, call: CallContext): Sql {
  return bound(sql`struct_pack(j := ${json}, i := ${place})`, call, (known) => {
    const [from, i] = [sql`struct_extract(${known}, 'j')`, sql`struct_extract(${known}, 'i')`];
    const key = sql`list_extract(json_keys(${from}), ${i})`;
    const member = sql`json_extract(${from}, '/' || replace(replace(${key}, '~', '~0'), '/', '~1'))`;
    const index = sql`CASE WHEN ${i} > 0 THEN '$[' || (${i} - 1) || ']' WHEN ${i} < 0 THEN '$[#' || ${i} || ']' END`;
    return sql`CASE WHEN json_type(${from}) = 'OBJECT' THEN ${member} ELSE json_extract(${from}, ${index}) END`;
  });
}

/** What `read` makes of the value that `JSONExtract…(json, 'a', 1, …)` names. */
function located(json: Sql, steps: readonly Value[], call: CallContext, read: Read): Sql {
  // Text that is no JSON is like an empty object.
  const safe = sql`CASE WHEN json_valid(${json}) THEN ${json} END`;
  const at = steps.findIndex((step) => step.type.kind === "int");
  const keys = at < 0 ? steps : steps.slice(0, at);
  if (keys.some((step) => step.type.kind !== "string")) {
    throw new HogqlError("A JSON path must consist of texts and whole numbers; places count from one.");
  }
  const literals = keys.map((step) => step.constant).filter((key) => typeof key === "string");
  const isLiteral = literals.length === keys.length;
  const pointer = isLiteral ? text(pointerOf(literals)) : sql`(${join(keys.map(keyStep), " || ")})`;
  if (at < 0) return read(safe, pointer);
  const element = atPlace(sql`json_extract(${safe}, ${pointer})`, steps[at]!.sql, call);
  return bound(element, call, (known) => located(known, steps.slice(at + 1), call, read));
}

/** A value inside JSON text; a miss gives `miss`, as in ClickHouse, and no text at all gives NULL. */
const extract = (type: Type | Kind, read: Read, miss: Sql): FunctionSpec =>
  special(["text", "any*"], ([json, ...path], call) => {
    const found = sql`coalesce(${located(json!.sql, path, call, read)}, ${miss})`;
    return ofText(json!, found, typeof type === "string" ? typeOf(type) : type);
  });

/** NULL of a text that is NULL, but for arrays: ClickHouse's are never NULL. */
function ofText(json: Value, found: Sql, type: Type): Value {
  if (!json.type.nullable || type.kind === "array") return value(found, type, [json]);
  return value(sql`CASE WHEN ${json.sql} IS NOT NULL THEN ${found} END`, optional(type), [json]);
}

/** A text as it is, all else as its JSON text. */
const asString: Read = (json, path) => sql`json_extract_string(${json}, ${path})`;
/** Through a DOUBLE only what is no integer of 64 bits: it would lose digits. */
const asInteger: Read = (json, path) => {
  const found = digitsOf(asString(json, path));
  return sql`coalesce(TRY_CAST(CASE WHEN NOT contains(${found}, '.') THEN ${found} END AS BIGINT), TRY_CAST(trunc(TRY_CAST(${found} AS DOUBLE)) AS BIGINT))`;
};
const asNatural: Read = (json, path) => sql`greatest(${asInteger(json, path)}, 0)`;
const asBool: Read = (json, path) => {
  const found = sql`json_extract_string(${json}, ${path})`;
  return sql`CASE json_type(${json}, ${path}) WHEN 'BOOLEAN' THEN ${found} = 'true' WHEN 'UBIGINT' THEN ${found} <> '0' WHEN 'BIGINT' THEN ${found} <> '0' ELSE FALSE END`;
};
const asDouble: Read = (json, path) => asNumber(asString(json, path));
const raw: Read = (json, path) => sql`CAST(json_extract(${json}, ${path}) AS VARCHAR)`;
const parts: Read = (json, path) => sql`CAST(json_extract(${json}, ${path}) AS JSON[])`;

const EMPTY_TEXTS = sql`CAST([] AS VARCHAR[])`;

const rawArray: Read = (json, path) =>
  sql`CASE WHEN json_type(${json}, ${path}) = 'ARRAY' THEN list_transform(${parts(json, path)}, lambda x: coalesce(CAST(x AS VARCHAR), 'null')) END`;

/** [(key, value as JSON text)]. */
const rawPairs: Read = (json, path) => {
  const pair = tupleOfValues([
    value(sql`x`, typeOf("string")),
    value(raw(json, memberPath(path, sql`x`)), typeOf("string")),
  ]);
  return sql`list_transform(json_keys(${json}, ${path}), lambda x: ${pair.sql})`;
};

const JSON_TYPES = sql`CASE WHEN t = 'VARCHAR' THEN 'String' WHEN t IN ('BIGINT', 'UBIGINT', 'HUGEINT') THEN 'Int64' WHEN t = 'DOUBLE' THEN 'Double' WHEN t = 'BOOLEAN' THEN 'Bool' WHEN t = 'ARRAY' THEN 'Array' WHEN t = 'OBJECT' THEN 'Object' ELSE 'Null' END`;

const jsonType: Read = (json, path) =>
  sql`list_extract(list_transform([json_type(${json}, ${path})], lambda t: ${JSON_TYPES}), 1)`;

/** `JSONExtract(json, 'a', 'Array(String)')`. */
const byType = special(["text", "any", "any*"], (args, call) => {
  const [json, ...rest] = args;
  const named = literalText(rest.at(-1), "The type of JSONExtract");
  const type = parseType(named);
  if (type === null) throw new HogqlError(`Unknown type '${named.slice(0, 50)}' of JSONExtract.`);
  const read: Read = (from, path) => readAs(type, from, path);
  const found = value(located(json!.sql, rest.slice(0, -1), call, read), optional(type), [json!]);
  return type.nullable ? found : ofText(json!, orZero(found).sql, zeroOf(type) === null ? optional(type) : type);
});

function readAs(type: Type, json: Sql, path: Sql): Sql {
  const found = sql`json_extract(${json}, ${path})`;
  switch (type.kind) {
    case "tuple":
      return tupleRead(found, type);
    case "array": {
      const element = partRead(elementOf(type), sql`x`, text("")).sql;
      return sql`CASE WHEN json_type(${found}) = 'ARRAY' THEN list_transform(${parts(json, path)}, lambda x: ${element}) END`;
    }
    case "map":
      return mapRead(type, json, path);
    case "int":
    case "float": {
      const number = type.kind === "int" ? asInteger(json, path) : asDouble(json, path);
      return sql`CASE ${raw(json, path)} WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE ${number} END`;
    }
    case "bool":
      return asBool(json, path);
    default:
      return sql`TRY_CAST(json_extract_string(${json}, ${path}) AS ${engineType(type)})`;
  }
}

/** A part of a whole: the type's zero, where that cannot be NULL, for one that is none. */
function partRead(type: Type, json: Sql, path: Sql): Value {
  const part = value(readAs(type, json, path), optional(type));
  return type.nullable ? part : orZero(part);
}

/** A tuple is an array in JSON. */
function tupleRead(found: Sql, type: Type): Sql {
  const members = (type.members ?? []).map((member, i) => partRead(member, found, text(`/${i}`)));
  return tupleOfValues(members).sql;
}

/** A map is an object; what is none has no keys. */
function mapRead(type: Type, json: Sql, path: Sql): Sql {
  const members = sql`list_transform(list_distinct(json_keys(${json}, ${path})), lambda k: struct_pack(k := k, v := json_extract(${json}, ${memberPath(path, sql`k`)})))`;
  const key = sql`TRY_CAST(struct_extract(x, 'k') AS ${engineType(type.key ?? STRING)})`;
  const element = partRead(elementOf(type), sql`struct_extract(x, 'v')`, text("")).sql;
  const pairs = sql`list_transform(${members}, lambda x: struct_pack(key := ${key}, value := ${element}))`;
  return sql`map_from_entries(coalesce(${pairs}, []))`;
}

const STRING = typeOf("string");

/** Reading JSON texts; keys and places come one by one behind the text. */
export const JSONS: Record<string, FunctionSpec> = {
  JSONExtract: byType,
  JSONExtractString: extract("string", asString, text("")),
  JSONExtractInt: extract("int", asInteger, integer(0)),
  JSONExtractUInt: extract("int", asNatural, integer(0)),
  JSONExtractFloat: extract("float", asDouble, bind(0, "DOUBLE")),
  JSONExtractBool: extract("bool", asBool, FALSE),
  JSONExtractRaw: extract({ ...STRING, isJson: true }, raw, text("")),
  JSONExtractArrayRaw: extract(arrayOf({ ...STRING, isJson: true }), rawArray, EMPTY_TEXTS),
  JSONExtractKeys: extract(arrayOf(STRING), (json, path) => sql`json_keys(${json}, ${path})`, EMPTY_TEXTS),
  JSONExtractKeysAndValuesRaw: extract(arrayOf(tupleOf([STRING, STRING])), rawPairs, sql`[]`),
  JSONHas: extract("bool", (json, path) => sql`json_exists(${json}, ${path})`, FALSE),
  JSONLength: extract(
    "int",
    (json, path) =>
      sql`CAST(coalesce(nullif(json_array_length(${json}, ${path}), 0), len(json_keys(${json}, ${path}))) AS BIGINT)`,
    integer(0),
  ),
  JSONType: extract("string", jsonType, text("Null")),
  isValidJSON: scalar(["text"], "bool", (json) => sql`json_valid(${json})`),
  toJSONString: special(["any"], ([x], call) => {
    const { kind, nullable } = x!.type;
    const shown = asText(x!, call);
    const isText = kind === "string" || kind === "uuid" || kind === "date" || kind === "datetime";
    const written = isText ? sql`CAST(to_json(${shown.sql}) AS VARCHAR)` : shown.sql;
    return value(written, { ...STRING, nullable, isJson: true }, [x!]);
  }),
};
