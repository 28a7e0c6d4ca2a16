import { join, type Sql, sql } from "../sql/sql.ts";
import { arrayOf, type Kind, mapOf, optional, type Type, tupleOf, typeOf } from "./types.ts";

const INTEGERS = ["int", "integer", "bigint", "smallint", "tinyint"];
const FLOATS = ["float", "double", "real", "decimal", "numeric"];
const TEXTS = ["string", "text", "varchar", "char", "fixedstring"];

/** ClickHouse's and SQL's names of types, in lower case. */
const NAMES: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...INTEGERS.map((name): [string, Kind] => [name, "int"]),
  ...FLOATS.map((name): [string, Kind] => [name, "float"]),
  ...TEXTS.map((name): [string, Kind] => [name, "string"]),
  ["bool", "bool"],
  ["boolean", "bool"],
  ["date", "date"],
  ["date32", "date"],
  ["datetime", "datetime"],
  ["datetime64", "datetime"],
  ["timestamp", "datetime"],
  ["uuid", "uuid"],
]);

/** Of the name of a type: longer ones nest for no reason. */
const MAX_LENGTH = 200;

/** The type of a name such as `Int64`, `Nullable(String)`, `Array(Float64)`, `Map(String, UInt8)`; null for no such type. */
export function parseType(text: string): Type | null {
  if (text.length > MAX_LENGTH) return null;
  const match = /^\s*([a-z0-9]+)\s*(?:\((.*)\))?\s*$/is.exec(text);
  if (match === null) return null;
  const name = match[1]!.toLowerCase();
  const inner = match[2] === undefined ? [] : splitTop(match[2]);
  if (["nullable", "lowcardinality", "array", "tuple", "map"].includes(name)) return wrapped(name, inner);
  const kind = /^u?int(8|16|32|64|128|256)$/.test(name)
    ? "int"
    : /^float(32|64)$/.test(name)
      ? "float"
      : NAMES.get(name);
  return kind === undefined ? null : typeOf(kind);
}

function wrapped(name: string, inner: string[]): Type | null {
  const types = inner.map(parseType);
  const known = types.filter((type) => type !== null);
  const [first, second] = known;
  if (known.length < types.length || first === undefined) return null;
  if (name === "tuple") return tupleOf(known);
  if (name === "map") return known.length === 2 ? mapOf(first, second!) : null;
  if (known.length > 1) return null;
  if (name === "array") return arrayOf(first);
  return name === "nullable" ? optional(first) : first;
}

/** At the commas that are in no brackets. */
function splitTop(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

const ENGINE: Record<Exclude<Kind, "array" | "tuple" | "map">, Sql> = {
  string: sql`VARCHAR`,
  int: sql`BIGINT`,
  float: sql`DOUBLE`,
  bool: sql`BOOLEAN`,
  date: sql`DATE`,
  datetime: sql`TIMESTAMP`,
  uuid: sql`UUID`,
  interval: sql`BIGINT`,
  null: sql`VARCHAR`,
};

/** The engine's name of a type. */
export function engineType(type: Type): Sql {
  const inner = (part: Type | undefined): Sql => engineType(part ?? typeOf("string"));
  switch (type.kind) {
    case "array":
      return sql`${inner(type.element)}[]`;
    case "map":
      return sql`MAP(${inner(type.key)}, ${inner(type.element)})`;
    case "tuple": {
      const members = (type.members ?? []).map((member, i) => sql`${{ parts: [`v${i + 1}`] }} ${engineType(member)}`);
      return sql`STRUCT(${join(members, ", ")})`;
    }
    default:
      return ENGINE[type.kind];
  }
}
