import { HogqlError } from "../../errors.ts";
import { pointerOf } from "../../properties.ts";
import { bind, FALSE, integer, join, type Sql, sql, text } from "../../sql.ts";
import { tupleOfValues } from "../access.ts";
import { asText } from "../convert.ts";
import { engineType, parseType } from "../typeNames.ts";
import { arrayOf, type Kind, optional, orZero, type Type, tupleOf, typeOf, type Value, value } from "../types.ts";
import { type FunctionSpec, literalText, scalar, special } from "./spec.ts";

/** The pointer of `JSONExtract…(json, 'a', 1, …)`; keys that are no literals are put in when it runs. */
function pathOf(args: readonly Value[]): Sql {
  const literals = args.map(({ constant }) => constant).filter(isStep);
  if (literals.length === args.length) return text(pointerOf(literals));
  const steps = args.map((step) => {
    if (isStep(step.constant)) return text(pointerOf([step.constant]));
    if (step.constant !== undefined || (step.type.kind !== "string" && step.type.kind !== "int")) {
      throw new HogqlError("A JSON path must consist of texts and whole numbers; places count from one.");
    }
    if (step.type.kind === "int") return sql`'/' || CAST(${step.sql} - 1 AS VARCHAR)`;
    return sql`'/' || replace(replace(${step.sql}, '~', '~0'), '/', '~1')`;
  });
  return sql`(${join(steps, " || ")})`;
}

const isStep = (step: Value["constant"]): step is string | number =>
  typeof step === "string" || (typeof step === "number" && step >= 1);

/** Text that is no JSON is like an empty object. */
const safeJson = (json: Sql): Sql => sql`CASE WHEN json_valid(${json}) THEN ${json} END`;

type Read = (json: Sql, path: Sql) => Sql;

/** A value inside JSON text; a miss gives `miss`, as in ClickHouse. */
const extract = (type: Type | Kind, read: Read, miss: Sql): FunctionSpec =>
  special(["text", "any*"], ([json, ...path]) => {
    const found = sql`coalesce(${read(safeJson(json!.sql), pathOf(path))}, ${miss})`;
    return value(found, typeof type === "string" ? typeOf(type) : type, [json!, ...path]);
  });

const asString: Read = (json, path) =>
  sql`CASE WHEN json_type(${json}, ${path}) = 'VARCHAR' THEN json_extract_string(${json}, ${path}) END`;
/** Through a DOUBLE only what is no integer of 64 bits: it would lose digits. */
const asInteger: Read = (json, path) => {
  const found = sql`json_extract_string(${json}, ${path})`;
  return sql`coalesce(TRY_CAST(CASE WHEN NOT contains(${found}, '.') THEN ${found} END AS BIGINT), TRY_CAST(trunc(TRY_CAST(${found} AS DOUBLE)) AS BIGINT))`;
};
const asNatural: Read = (json, path) => sql`greatest(${asInteger(json, path)}, 0)`;
const asBool: Read = (json, path) =>
  sql`(json_type(${json}, ${path}) = 'BOOLEAN' AND json_extract_string(${json}, ${path}) = 'true')`;
const asDouble: Read = (json, path) => sql`TRY_CAST(json_extract_string(${json}, ${path}) AS DOUBLE)`;
const raw: Read = (json, path) => sql`CAST(json_extract(${json}, ${path}) AS VARCHAR)`;
const parts: Read = (json, path) => sql`CAST(json_extract(${json}, ${path}) AS JSON[])`;

const EMPTY_TEXTS = sql`CAST([] AS VARCHAR[])`;

const rawArray: Read = (json, path) =>
  sql`CASE WHEN json_type(${json}, ${path}) = 'ARRAY' THEN list_transform(${parts(json, path)}, lambda x: CAST(x AS VARCHAR)) END`;

/** [(key, value as JSON text)]. */
const rawPairs: Read = (json, path) => {
  const pair = tupleOfValues([
    value(sql`x`, typeOf("string")),
    value(raw(json, sql`${path} || '/' || replace(replace(x, '~', '~0'), '/', '~1')`), typeOf("string")),
  ]);
  return sql`list_transform(json_keys(${json}, ${path}), lambda x: ${pair.sql})`;
};

const JSON_TYPES = sql`CASE WHEN t = 'VARCHAR' THEN 'String' WHEN t IN ('BIGINT', 'UBIGINT', 'HUGEINT') THEN 'Int64' WHEN t = 'DOUBLE' THEN 'Double' WHEN t = 'BOOLEAN' THEN 'Bool' WHEN t = 'ARRAY' THEN 'Array' WHEN t = 'OBJECT' THEN 'Object' ELSE 'Null' END`;

const jsonType: Read = (json, path) =>
  sql`list_extract(list_transform([json_type(${json}, ${path})], lambda t: ${JSON_TYPES}), 1)`;

/** `JSONExtract(json, 'a', 'Array(String)')`. */
const byType = special(["text", "any", "any*"], (args) => {
  const [json, ...rest] = args;
  const named = literalText(rest.at(-1), "The type of JSONExtract");
  const type = parseType(named);
  if (type === null) throw new HogqlError(`Unknown type '${named.slice(0, 50)}' of JSONExtract.`);
  const result = value(readAs(type, safeJson(json!.sql), pathOf(rest.slice(0, -1))), optional(type), [json!]);
  return type.nullable ? result : orZero(result);
});

function readAs(type: Type, json: Sql, path: Sql): Sql {
  const found = sql`json_extract(${json}, ${path})`;
  switch (type.kind) {
    case "tuple":
      return tupleRead(found, type);
    case "array":
    case "map":
      return sql`TRY_CAST(${found} AS ${engineType(type)})`;
    case "int":
      return asInteger(json, path);
    default:
      return sql`TRY_CAST(json_extract_string(${json}, ${path}) AS ${engineType(type)})`;
  }
}

/** A tuple is an array in JSON. */
function tupleRead(found: Sql, type: Type): Sql {
  const members = (type.members ?? []).map((member, i) =>
    value(readAs(member, found, text(`/${i}`)), optional(member)),
  );
  return tupleOfValues(members).sql;
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
  isValidJSON: scalar(["text"], "bool", (json) => sql`coalesce(json_valid(${json}), FALSE)`, false),
  toJSONString: special(["any"], ([x], call) => {
    if (x!.type.isJson) return x!;
    if (x!.type.kind === "string") return value(sql`CAST(to_json(${x!.sql}) AS VARCHAR)`, x!.type, [x!]);
    return asText(x!, call);
  }),
};
