import { type At, errorAt, HogqlError } from "../shape/errors.ts";
import { integer, name, type Sql, sql } from "../sql/sql.ts";
import type { Calendar } from "../time/dates.ts";
import { asInt, asText, jsonValue } from "./convert.ts";
import { arrayOf, describe, elementOf, optional, orZero, type Value, value } from "./types.ts";

/** The name of a tuple's member, counted from one. */
const memberName = (position: number): Sql => name(`v${position}`);

/** A tuple's member. A dot would read a lambda's parameter as a table where there is GROUP BY. */
export const memberSql = (tuple: Sql, position: number): Sql =>
  sql`struct_extract(${tuple}, '${memberName(position)}')`;

/** Reads further into a value: `.key`, `['key']`, `.1`, `[1]` of JSON, arrays, tuples and maps. */
export function readInto(from: Value, path: readonly (string | number)[], node: At): Value {
  const [step, ...rest] = path;
  if (step === undefined) return from;
  if (from.type.isJson) {
    // A text that came from elsewhere may be no JSON: nothing is in it.
    const base = from.json ?? { text: sql`CASE WHEN json_valid(${from.sql}) THEN ${from.sql} END`, path: [] };
    return jsonValue(base.text, [...base.path, ...path], [from]);
  }
  return readInto(readOne(from, step, node), rest, node);
}

function readOne(from: Value, step: string | number, node: At): Value {
  const { kind } = from.type;
  if (kind === "tuple" && typeof step === "number") return memberOf(from, step);
  if (kind === "array" && typeof step === "number") {
    if (elementOf(from.type).kind === "tuple") return membersOf(from, step);
    return elementAt(from, value(integer(step), { kind: "int", nullable: false }));
  }
  if (kind === "map") return mapValue(from, value(sql`${keyOf(step)}`, { kind: "string", nullable: false }));
  const what = kind === "string" ? "it is not JSON" : `it is ${describe(from.type)}`;
  throw errorAt(node, `Can not access property "${step}": ${what}.`);
}

const keyOf = (step: string | number): Sql => ({ parts: [{ value: String(step), type: "VARCHAR" }] });

/** `tuple.2`. */
export function memberOf(tuple: Value, position: number): Value {
  const type = tuple.type.members?.[position - 1];
  if (type === undefined) throw new HogqlError(`The tuple has no member ${position}.`);
  return value(memberSql(tuple.sql, position), { ...type, nullable: type.nullable || tuple.type.nullable }, [tuple]);
}

/** `tuples.2`: the member of each. */
function membersOf(tuples: Value, position: number): Value {
  const member = memberOf(value(sql`x`, elementOf(tuples.type)), position);
  return value(sql`list_transform(${tuples.sql}, lambda x: ${member.sql})`, arrayOf(member.type), [tuples]);
}

/** A tuple of values. */
export function tupleOfValues(members: readonly Value[]): Value {
  const parts = members.flatMap((member, i): (string | Sql)[] => [
    i === 0 ? "" : ", ",
    sql`${memberName(i + 1)} := ${member.sql}`,
  ]);
  const type = { kind: "tuple" as const, nullable: false, members: members.map((member) => member.type) };
  return { ...value(sql`struct_pack(${{ parts }})`, type, members), members };
}

/** An element by its position from one, or from -1 backwards; beyond, the type's zero where it has one, as in ClickHouse. */
export function elementAt(array: Value, position: Value): Value {
  const type = elementOf(array.type);
  const element = value(sql`list_extract(${array.sql}, ${asInt(position).sql})`, optional(type), [array, position]);
  if (type.nullable || !position.type.nullable) return type.nullable ? element : orZero(element);
  const zero = orZero(element);
  return value(sql`CASE WHEN ${position.sql} IS NOT NULL THEN ${zero.sql} END`, optional(type), [array, position]);
}

/** The value of a map's key; the type's zero where there is none, as in ClickHouse. */
export function mapValue(map: Value, key: Value): Value {
  const type = elementOf(map.type);
  const found = value(sql`map_extract_value(${map.sql}, ${key.sql})`, optional(type), [map, key]);
  return type.nullable ? found : orZero(found);
}

/** `array[key]` of whatever it is. */
export function access(from: Value, key: Value, node: At, calendar: Calendar): Value {
  if (key.constant === 0 && from.type.kind !== "map") {
    throw new HogqlError("SQL indexes start from one, not from zero. E.g: array[1]");
  }
  if (from.type.kind === "array") return elementAt(from, key);
  if (from.type.kind === "map") return mapValue(from, from.type.key?.kind === "string" ? asText(key, calendar) : key);
  if (typeof key.constant === "string" || (typeof key.constant === "number" && key.constant > 0)) {
    return readInto(from, [key.constant], node);
  }
  throw new HogqlError("A key in brackets must be a string or number literal.");
}
