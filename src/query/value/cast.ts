import { HogqlError } from "../shape/errors.ts";
import { sql } from "../sql/sql.ts";
import type { Calendar } from "../time/dates.ts";
import { memberOf, tupleOfValues } from "./access.ts";
import { convertTo } from "./convert.ts";
import { arrayOf, elementOf, type Type, type Value, value } from "./types.ts";

/** A value as a type, with all that is in it. Errors: HogqlError where there is no conversion. */
export function castTo(from: Value, type: Type, calendar: Calendar): Value {
  if (from.type.kind !== type.kind) return convertTo(from, type.kind, calendar);
  switch (type.kind) {
    case "array": {
      const element = castTo(value(sql`x`, elementOf(from.type)), elementOf(type), calendar);
      return value(sql`list_transform(${from.sql}, lambda x: ${element.sql})`, arrayOf(element.type), [from]);
    }
    case "tuple": {
      const [members, own] = [type.members ?? [], from.type.members ?? []];
      if (members.length !== own.length) throw new HogqlError(`A tuple of ${own.length} is none of ${members.length}.`);
      return tupleOfValues(members.map((member, i) => castTo(memberOf(from, i + 1), member, calendar)));
    }
    case "map": {
      const [key, element] = [from.type.key, from.type.element].map((part) => part?.kind);
      if (key === type.key?.kind && element === type.element?.kind) return from;
      throw new HogqlError("Cannot convert a map to one of other types.");
    }
    default:
      return from;
  }
}
