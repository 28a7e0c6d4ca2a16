import { HogqlError } from "../../shape/errors.ts";
import { join, type Sql, sql } from "../../sql/sql.ts";
import { mapValue, memberOf, memberSql, tupleOfValues } from "../../value/access.ts";
import { asText, convertTo } from "../../value/convert.ts";
import { arrayOf, elementOf, mapOf, type Type, tupleOf, typeOf, type Value, value } from "../../value/types.ts";
import { unify } from "../../value/unify.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

const keyType = (map: Value): Type => map.type.key ?? typeOf("string");
const valueType = (map: Value): Type => elementOf(map.type);

/** `map(k1, v1, k2, v2, …)`. */
const makeMap = special(["any*"], (args, call) => {
  if (args.length % 2 === 1) throw new HogqlError("map takes pairs of a key and a value.");
  const keys = unify(
    args.filter((_, i) => i % 2 === 0),
    call,
  );
  const values = unify(
    args.filter((_, i) => i % 2 === 1),
    call,
  );
  const list = (items: readonly Value[]): Sql =>
    sql`[${join(
      items.map((item) => item.sql),
      ", ",
    )}]`;
  return value(sql`map(${list(keys.values)}, ${list(values.values)})`, mapOf(keys.type, values.type), args);
});

/** A lambda over a map's keys and values. */
const walkingMap = (emit: (entries: Sql, x: Sql, lambda: Value, map: Value) => Value): FunctionSpec => ({
  ...special(["lambda", "map"], ([lambda, map]) =>
    emit(sql`map_entries(${map!.sql})`, lambda!.parameter!, lambda!, map!),
  ),
  lambda: (x, [map]) =>
    map === undefined
      ? []
      : [
          value(sql`struct_extract(${x}, 'key')`, keyType(map), [map]),
          value(sql`struct_extract(${x}, 'value')`, valueType(map), [map]),
        ],
});

const key = (map: Value, wanted: Value, call: CallContext): Value =>
  keyType(map).kind === "string" ? asText(wanted, call) : convertTo(wanted, keyType(map).kind, call);

/** Members one by one of two tuples. */
const beside = (write: (a: Sql, b: Sql) => Sql): FunctionSpec =>
  special(["tuple", "tuple"], ([a, b]) => {
    const count = a!.type.members?.length ?? 0;
    if (count !== b!.type.members?.length) throw new HogqlError("Both tuples must have as many members.");
    const members = Array.from({ length: count }, (_, i) => {
      const [x, y] = [memberOf(a!, i + 1), memberOf(b!, i + 1)];
      return value(write(x.sql, y.sql), x.type, [x, y]);
    });
    return tupleOfValues(members);
  });

/** Tuples and maps. */
export const TUPLES: Record<string, FunctionSpec> = {
  tuple: special(["any*"], (members) => tupleOfValues(members)),
  tupleElement: special(["tuple", "any"], ([tuple, at]) => {
    if (typeof at!.constant !== "number") throw new HogqlError("The place in a tuple must be a number literal.");
    return memberOf(tuple!, at!.constant);
  }),
  tuplePlus: beside((a, b) => sql`(${a} + ${b})`),
  tupleMinus: beside((a, b) => sql`(${a} - ${b})`),
  tupleMultiply: beside((a, b) => sql`(${a} * ${b})`),
  untuple: special(["tuple"], () => {
    throw new HogqlError("untuple is not supported: name the members (`t.1`, `t.2`).");
  }),
  map: makeMap,
  mapFromArrays: special(["array", "array"], ([keys, values]) =>
    value(sql`map(${keys!.sql}, ${values!.sql})`, mapOf(elementOf(keys!.type), elementOf(values!.type)), [
      keys!,
      values!,
    ]),
  ),
  mapKeys: special(["map"], ([map]) => value(sql`map_keys(${map!.sql})`, arrayOf(keyType(map!)), [map!])),
  mapValues: special(["map"], ([map]) => value(sql`map_values(${map!.sql})`, arrayOf(valueType(map!)), [map!])),
  mapContains: special(["map", "any"], ([map, wanted], call) =>
    value(sql`map_contains(${map!.sql}, ${key(map!, wanted!, call).sql})`, typeOf("bool"), [map!, wanted!]),
  ),
  mapGet: special(["map", "any"], ([map, wanted], call) => mapValue(map!, key(map!, wanted!, call))),
  mapUpdate: scalar(["map", "map"], "same", (a, b) => sql`map_concat(${a}, ${b})`),
  mapFilter: walkingMap((entries, x, lambda, map) =>
    value(sql`map_from_entries(list_filter(${entries}, lambda ${x}: ${lambda.sql}))`, map.type, [lambda, map]),
  ),
  mapApply: walkingMap((entries, x, lambda, map) => {
    const [k, v] = lambda.type.members ?? [];
    if (k === undefined || v === undefined) throw new HogqlError("The lambda of mapApply gives (key, value).");
    const pair = sql`struct_pack(key := ${memberSql(lambda.sql, 1)}, value := ${memberSql(lambda.sql, 2)})`;
    return value(sql`map_from_entries(list_transform(${entries}, lambda ${x}: ${pair}))`, mapOf(k, v), [lambda, map]);
  }),
  mapToArrays: special(["map"], ([map]) =>
    value(
      tupleOfValues([
        value(sql`map_keys(${map!.sql})`, arrayOf(keyType(map!))),
        value(sql`map_values(${map!.sql})`, arrayOf(valueType(map!))),
      ]).sql,
      tupleOf([arrayOf(keyType(map!)), arrayOf(valueType(map!))]),
      [map!],
    ),
  ),
};
