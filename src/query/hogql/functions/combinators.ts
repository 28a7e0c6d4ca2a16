import { HogqlError } from "../../shape/errors.ts";
import { join, type Sql, sql } from "../../sql/sql.ts";
import { tupleOfValues } from "../../value/access.ts";
import { asCondition } from "../../value/convert.ts";
import { arrayOf, elementOf, mapOf, type Type, typeOf, type Value, value } from "../../value/types.ts";
import { insideOf, ofRows, overRows, whereNone } from "./aggregate.ts";
import { bound } from "./bound.ts";
import { type CallContext, convert, type FunctionSpec, type Rows } from "./spec.ts";

/** The values of an expression in all rows, as one list. */
const gathered = (from: Sql, rows: Rows): Sql => ofRows(sql`list(${insideOf([from], rows)})`, rows);

/** Its value of each element of a list, as a list. */
function mapped(list: Sql, call: CallContext, body: (element: Sql) => Sql): Sql {
  const element = call.fresh();
  return sql`list_transform(${list}, lambda ${element}: ${body(element)})`;
}

function filtered(list: Sql, call: CallContext, condition: (element: Sql) => Sql): Sql {
  const element = call.fresh();
  return sql`list_filter(${list}, lambda ${element}: ${condition(element)})`;
}

type OverList = NonNullable<FunctionSpec["overList"]>;

/** A combinator over lists: it gathers the rows into one and takes the base over what it makes of that. */
function overGathered(
  base: FunctionSpec,
  [fewest, most]: [number, number],
  emit: (args: Value[], call: CallContext, rows: Rows, overList: OverList) => Value,
): FunctionSpec | null {
  const { overList } = base;
  if (overList === undefined) return null;
  return {
    ...base,
    overList: undefined,
    min: fewest,
    max: most,
    emit: (args, call, rows) => {
      const plain = emit(args, call, rows, overList);
      const type = { ...plain.type, nullable: true };
      const isZero = base.givesZero === true || type.kind === "array" || type.kind === "map";
      return whereNone(overRows(plain.sql, type, args, rows), rows, false, isZero);
    },
  };
}

/** `sumArray(xs)`: over all elements of all rows. */
const array = (base: FunctionSpec) =>
  overGathered(base, [1, 1], ([given], call, rows, overList) => {
    const list = convert(given!, "array", call);
    return overList(value(sql`flatten(${gathered(list.sql, rows)})`, list.type), call);
  });

/** `sumForEach(xs)`: by position, an array as long as the longest. */
const forEach = (base: FunctionSpec) =>
  overGathered(base, [1, 1], ([given], call, rows, overList) => {
    const list = convert(given!, "array", call);
    let element: Type = elementOf(list.type);
    const written = bound(gathered(list.sql, rows), call, (lists) => {
      const length = sql`list_max(${mapped(lists, call, (one) => sql`len(${one})`)})`;
      return mapped(sql`range(1, ${length} + 1)`, call, (position) => {
        const at = mapped(
          filtered(lists, call, (one) => sql`len(${one}) >= ${position}`),
          call,
          (one) => sql`list_extract(${one}, ${position})`,
        );
        const result = overList(value(at, list.type), call);
        element = result.type;
        return result.sql;
      });
    });
    return value(written, arrayOf(element));
  });

/** `sumArgMax(x, by)`: over the rows where `by` is greatest, or least. */
const argExtreme = (extreme: Sql) => (base: FunctionSpec) =>
  overGathered(base, [base.min + 1, 2], (args, call, rows, overList) => {
    const [x = sql`1`, by] = args.length === 1 ? [undefined, args[0]!.sql] : args.map((argument) => argument.sql);
    const type = arrayOf(args.length === 1 ? typeOf("int") : args[0]!.type);
    let result: Type = type;
    const written = bound(gathered(sql`struct_pack(x := ${x}, y := ${by!})`, rows), call, (pairs) => {
      const best = sql`${extreme}(${mapped(pairs, call, (pair) => sql`struct_extract(${pair}, 'y')`)})`;
      return bound(best, call, (at) => {
        const xs = mapped(
          filtered(pairs, call, (pair) => sql`struct_extract(${pair}, 'y') = ${at}`),
          call,
          (pair) => sql`struct_extract(${pair}, 'x')`,
        );
        const one = overList(value(xs, type), call);
        result = one.type;
        return one.sql;
      });
    });
    return value(written, result);
  });

/** `sumMap(m)`: by key, a map; `sumMap(keys, values)`: a tuple of the keys and what belongs to them. */
const byKey = (base: FunctionSpec) =>
  overGathered(base, [1, 2], (args, call, rows, overList) => {
    const { entries, key, element } = entriesOf(args, call);
    let result: Type = element;
    const written = bound(sql`flatten(${gathered(entries, rows)})`, call, (all) => {
      const keys = sql`list_sort(list_distinct(${mapped(all, call, (entry) => sql`struct_extract(${entry}, 'key')`)}))`;
      const pairs = mapped(keys, call, (known) => {
        const own = filtered(all, call, (entry) => sql`struct_extract(${entry}, 'key') = ${known}`);
        const one = overList(
          value(
            mapped(own, call, (entry) => sql`struct_extract(${entry}, 'value')`),
            arrayOf(element),
          ),
          call,
        );
        result = one.type;
        return sql`struct_pack(key := ${known}, value := ${one.sql})`;
      });
      return sql`map_from_entries(${pairs})`;
    });
    const map = value(written, mapOf(key, { ...result, nullable: false }));
    if (args.length === 1) return map;
    const known = call.fresh();
    const pair = tupleOfValues([
      value(sql`map_keys(${known})`, arrayOf(key)),
      value(sql`map_values(${known})`, arrayOf({ ...result, nullable: false })),
    ]);
    return value(sql`list_extract(list_transform([${map.sql}], lambda ${known}: ${pair.sql}), 1)`, pair.type);
  });

function entriesOf(args: readonly Value[], call: CallContext): { entries: Sql; key: Type; element: Type } {
  if (args.length === 1) {
    const { sql: map, type } = convert(args[0]!, "map", call);
    return { entries: sql`map_entries(${map})`, key: type.key ?? typeOf("null"), element: elementOf(type) };
  }
  const [keys, values] = args.map((argument) => convert(argument, "array", call));
  return {
    entries: sql`map_entries(map_from_entries(list_zip(${keys!.sql}, ${values!.sql})))`,
    key: elementOf(keys!.type),
    element: elementOf(values!.type),
  };
}

/** `sumIf(x, condition)`. */
const onlyIf = (base: FunctionSpec): FunctionSpec => ({
  ...base,
  overList: undefined,
  min: base.min + 1,
  max: base.max + 1,
  isCondition: (index, _, count) => index === count - 1,
  emit: (args, call, rows) => {
    const condition = asCondition(args.at(-1)!);
    const filter = rows.filter === null ? condition : sql`(${join([rows.filter, condition], " AND ")})`;
    const result = base.emit(args.slice(0, -1), call, { ...rows, filter });
    return { ...result, isWindow: result.isWindow || args.at(-1)!.isWindow };
  },
});

const whenNone =
  (ifNone: Rows["ifNone"]) =>
  (base: FunctionSpec): FunctionSpec => ({
    ...base,
    emit: (args, call, rows) => base.emit(args, call, { ...rows, ifNone }),
  });

const distinct = (base: FunctionSpec): FunctionSpec => ({
  ...base,
  emit: (args, call, rows) => base.emit(args, call, { ...rows, isDistinct: true }),
});

/** By the end of a name; the longest first, since one may end in another. */
export const COMBINATORS: [string, (base: FunctionSpec) => FunctionSpec | null][] = [
  ["OrDefault", whenNone("zero")],
  ["Distinct", distinct],
  ["ForEach", forEach],
  ["ArgMax", argExtreme(sql`list_max`)],
  ["ArgMin", argExtreme(sql`list_min`)],
  ["OrNull", whenNone("null")],
  ["Array", array],
  ["Map", byKey],
  ["If", onlyIf],
];

/** Results half made, which ClickHouse's tables keep and nothing here does. */
const STATES = /(State|Merge|SimpleState|MergeState)(If|OrNull|OrDefault)*$/;

/** A longer name repeats combinators for no reason. */
const MAX_NAME_LENGTH = 60;

/**
 * The aggregate that a name with combinators stands for (`sumIf`, `uniqArrayIf`); null where it is none.
 * Errors: HogqlError for combinators that are refused.
 */
export function combined(name: string, plain: (base: string) => FunctionSpec | undefined): FunctionSpec | null {
  if (name.length > MAX_NAME_LENGTH) return null;
  for (const [suffix, combine] of COMBINATORS) {
    if (!name.endsWith(suffix)) continue;
    const baseName = name.slice(0, -suffix.length);
    const base = plain(baseName) ?? combined(baseName, plain);
    if (base?.kind !== "aggregate") continue;
    const spec = combine(base);
    if (spec === null) throw new HogqlError(`\`${baseName}\` does not go with -${suffix}.`);
    return spec;
  }
  if (plain(name.replace(STATES, ""))?.kind === "aggregate" && STATES.test(name)) {
    throw new HogqlError(`Half made aggregates (\`${name}\`) are not supported: use the aggregate itself.`);
  }
  return null;
}
