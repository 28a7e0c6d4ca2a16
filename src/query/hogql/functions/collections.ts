import { HogqlError } from "../../errors.ts";
import { pointerOf } from "../../properties.ts";
import { bind, FALSE, integer, type Sql, sql, text } from "../../sql.ts";
import { type Kind, type Type, typeOf, type Value, value } from "../types.ts";
import { type FunctionSpec, scalar, special } from "./spec.ts";

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

/** Reading JSON texts. */
export const JSONS: Record<string, FunctionSpec> = {
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

/** Arrays; positions count from one. */
export const ARRAYS: Record<string, FunctionSpec> = {
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
