import { type Sql, sql } from "../../sql/sql.ts";
import { arrayOf, elementOf, orZero, typeOf, value } from "../../value/types.ts";
import { unify } from "../../value/unify.ts";
import { bound } from "./bound.ts";
import { walking } from "./lambdas.ts";
import { atMost } from "./sizes.ts";
import { type FunctionSpec, special } from "./spec.ts";

// Functions that cut arrays up, fill them, and compare them as sets.

/** To a length; a negative one fills, or cuts, at the front. */
export const resized = special(["array", "int", "any?"], ([xs, n, filler], call) => {
  const own = elementOf(xs!.type);
  const rest = filler ?? (own.nullable ? value(sql`NULL`, own) : orZero(value(sql`NULL`, own)));
  const { values, type } = unify([value(xs!.sql, own), rest], call);
  const element = own.kind === "null" ? type : own;
  const written = bound(sql`struct_pack(xs := ${xs!.sql}, n := ${n!.sql})`, call, (known) => {
    const [list, count] = [sql`struct_extract(${known}, 'xs')`, sql`abs(struct_extract(${known}, 'n'))`];
    const kept = sql`CASE WHEN struct_extract(${known}, 'n') >= 0 THEN list_slice(${list}, 1, ${count}) ELSE list_slice(${list}, greatest(len(${list}) - ${count} + 1, 1), len(${list})) END`;
    const added = sql`list_transform(range(0, ${count} - len(${list})), lambda x: ${values[1]!.sql})`;
    return sql`CASE WHEN struct_extract(${known}, 'n') >= 0 THEN list_concat(${kept}, ${added}) ELSE list_concat(${added}, ${kept}) END`;
  });
  return value(atMost(sql`abs(${n!.sql})`, "arrayResize", written), arrayOf(element), [xs!, n!]);
});

/** From a place on, counted from one; a negative one counts from the end, a negative length leaves as many out. */
export const slice = special(["array", "int", "int?"], ([xs, from, length], call) => {
  const packed = sql`struct_pack(xs := ${xs!.sql}, i := ${from!.sql}, n := ${length?.sql ?? sql`NULL::BIGINT`})`;
  const written = bound(packed, call, (known) => {
    const [list, i, n] = [
      sql`struct_extract(${known}, 'xs')`,
      sql`coalesce(struct_extract(${known}, 'i'), 1)`,
      sql`struct_extract(${known}, 'n')`,
    ];
    const start = sql`CASE WHEN ${i} < 0 THEN len(${list}) + ${i} + 1 ELSE ${i} END`;
    const end = sql`CASE WHEN ${n} < 0 THEN len(${list}) + ${n} ELSE coalesce(${start} + ${n} - 1, len(${list})) END`;
    return sql`CASE WHEN ${i} = 0 THEN [] ELSE list_slice(${list}, greatest(${start}, 1), greatest(${end}, 0)) END`;
  });
  return value(written, xs!.type, [xs!, from!]);
});

/** Each value once, in the order in which they come first; NULL is none. */
export const distinct = special(["array"], ([xs], call) => {
  const [x, i, e, j, y] = [call.fresh(), call.fresh(), call.fresh(), call.fresh(), call.fresh()];
  const placed = sql`list_sort(list_transform(${xs!.sql}, lambda ${x}, ${i}: struct_pack(v := ${x}, i := ${i})))`;
  const written = bound(placed, call, (sorted) => {
    const isNew = sql`(${j} = 1 OR struct_extract(${e}, 'v') IS DISTINCT FROM struct_extract(list_extract(${sorted}, ${j} - 1), 'v'))`;
    const firsts = sql`list_filter(${sorted}, lambda ${e}, ${j}: struct_extract(${e}, 'v') IS NOT NULL AND ${isNew})`;
    const inOrder = sql`list_sort(list_transform(${firsts}, lambda ${e}: struct_pack(i := struct_extract(${e}, 'i'), v := struct_extract(${e}, 'v'))))`;
    return sql`list_transform(${inOrder}, lambda ${y}: struct_extract(${y}, 'v'))`;
  });
  return value(written, xs!.type, [xs!]);
});

/** Whether some element is NULL. */
export const hasNull = (list: Sql): Sql => sql`(len(${list}) > list_count(${list}))`;
const wrapped = (list: Sql): Sql => sql`list_transform(${list}, lambda x: struct_pack(v := x))`;

/** Membership of whole lists, in which NULL is a value like another. */
export const among = (write: (a: Sql, b: Sql) => Sql): FunctionSpec =>
  special(["array", "array"], ([a, b]) => {
    const isPlain = [a!, b!].every((list) => !elementOf(list.type).nullable);
    const [left, right] = [a!.sql, b!.sql].map((list) => (isPlain ? list : wrapped(list)));
    return value(write(left!, right!), typeOf("bool"), [a!, b!]);
  });

/** An element for which the lambda does not hold becomes the one before it, or after it. */
export const filling = (isReverse: boolean): FunctionSpec =>
  walking(false, (walk) => {
    const { call } = walk;
    const [x, i] = [call.fresh(), call.fresh()];
    const type = walk.arrays[0]!.type;
    const written = bound(sql`struct_pack(xs := ${walk.arrays[0]!.sql}, t := ${walk.tests()})`, call, (known) => {
      const [list, tests] = [sql`struct_extract(${known}, 'xs')`, sql`struct_extract(${known}, 't')`];
      const places = sql`list_filter(range(1, len(${list}) + 1), lambda ${x}: list_extract(${tests}, ${x}) OR ${x} = ${isReverse ? sql`len(${list})` : sql`1`})`;
      return bound(places, call, (kept) => {
        const place = isReverse
          ? sql`list_min(list_filter(${kept}, lambda ${x}: ${x} >= ${i}))`
          : sql`list_max(list_filter(${kept}, lambda ${x}: ${x} <= ${i}))`;
        return sql`list_transform(range(1, len(${list}) + 1), lambda ${i}: list_extract(${list}, ${place}))`;
      });
    });
    return value(written, type, [walk.lambda, ...walk.arrays]);
  });

/** Parts of an array: a new one begins at (or ends with) each element for which the lambda holds. */
export const splitting = (isReverse: boolean): FunctionSpec =>
  walking(false, (walk) => {
    const { call } = walk;
    const [x, i] = [call.fresh(), call.fresh()];
    const type = walk.arrays[0]!.type;
    const written = bound(sql`struct_pack(xs := ${walk.arrays[0]!.sql}, t := ${walk.tests()})`, call, (known) => {
      const [list, tests] = [sql`struct_extract(${known}, 'xs')`, sql`struct_extract(${known}, 't')`];
      const begins = isReverse ? sql`list_extract(${tests}, ${x} - 1)` : sql`list_extract(${tests}, ${x})`;
      const starts = sql`list_filter(range(1, len(${list}) + 1), lambda ${x}: ${x} = 1 OR ${begins})`;
      return bound(starts, call, (kept) => {
        const end = sql`coalesce(list_extract(${kept}, ${i} + 1) - 1, len(${list}))`;
        return sql`list_transform(${kept}, lambda ${x}, ${i}: list_slice(${list}, ${x}, ${end}))`;
      });
    });
    return value(written, arrayOf(type), [walk.lambda, ...walk.arrays]);
  });
