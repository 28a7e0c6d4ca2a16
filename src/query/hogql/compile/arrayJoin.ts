import { errorAt, HogqlError } from "../../shape/errors.ts";
import { join, name, type Sql, sql } from "../../sql/sql.ts";
import { describe, elementOf, orZero, type Value, value } from "../../value/types.ts";
import { sameLength } from "../functions/mod.ts";
import { printExpression } from "../syntax/print.ts";
import type { Call, Expression, Select } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import { addAlias } from "./items.ts";
import type { Scope } from "./scope.ts";

function arrayAt(node: Expression, scope: Scope): Value {
  const array = compileExpression(node, scope);
  if (array.type.kind === "array") return array;
  throw errorAt(node, `ARRAY JOIN takes an array, not ${describe(array.type)}.`);
}

/** One row for each element of arrays, beside each other: columns c0, c1, … of `alias`. */
function rowsOf(arrays: readonly Value[], alias: Sql): Sql {
  const [first, ...others] = arrays.map((array) => array.sql);
  const lists = [others.length === 0 ? first! : sameLength([first!, ...others], first!), ...others];
  const columns = lists.map((list, i) => sql`unnest(${list}) AS ${name(`c${i}`)}`);
  return sql`(SELECT ${join(columns, ", ")}) AS ${alias}`;
}

/** Compiles `[LEFT] ARRAY JOIN`: its names stand for the elements. What it adds to FROM; null where there is none. */
export function compileArrayJoin(node: Select, scope: Scope): Sql | null {
  if (node.array_join_op == null) return null;
  if (node.select_from == null) throw errorAt(node, "ARRAY JOIN needs FROM.");
  const isLeft = node.array_join_op === "LEFT ARRAY JOIN";
  const alias = name(`t${scope.compilation.nextAlias()}`);
  const parts = (node.array_join_list ?? []).map((part) => {
    if (part.node !== "Alias") throw errorAt(part, "ARRAY JOIN arrays must have an alias");
    return { part, array: arrayAt(part.expr, scope) };
  });
  parts.forEach(({ part, array }, i) => {
    const element = value(sql`${alias}.${name(`c${i}`)}`, elementOf(array.type));
    addAlias(part.alias, isLeft ? orZero(element) : element, part.expr, scope, part);
  });
  const rows = rowsOf(
    parts.map(({ array }) => array),
    alias,
  );
  return isLeft ? sql`LEFT JOIN LATERAL ${rows} ON TRUE` : sql`CROSS JOIN LATERAL ${rows}`;
}

/**
 * `arrayJoin(xs)`: the rows of the SELECT once for each element, wherever it stands in it; the same array twice is one.
 * Of an aggregate, the rows after grouping.
 */
export function compileArrayJoinCall(node: Call, scope: Scope): Value {
  const [argument] = node.args;
  if (argument === undefined || node.args.length > 1) {
    throw errorAt(node, `Function 'arrayJoin' expects 1 argument, found ${node.args.length}`);
  }
  if (scope.isLambda) throw new HogqlError("`arrayJoin` cannot stand in a lambda.");
  const array = arrayAt(argument, scope);
  if (array.isAggregate || array.isWindow) return value(sql`unnest(${array.sql})`, elementOf(array.type), [array]);
  const key = printExpression(argument);
  const known = scope.unnested.get(key);
  if (known !== undefined) return known.element;
  const alias = name(`t${scope.compilation.nextAlias()}`);
  const element = value(sql`${alias}.c0`, elementOf(array.type));
  scope.unnested.set(key, { element, from: rowsOf([array], alias) });
  return element;
}

/** The whole FROM: the tables, ARRAY JOIN, and what `arrayJoin` has asked for. Null where there is none of them. */
export function fromClause(tables: Sql | null, arrayJoin: Sql | null, scope: Scope): Sql | null {
  const unnested = [...scope.unnested.values()].map(({ from }) => from);
  const [first, ...others] = tables === null ? unnested : [tables, ...unnested];
  if (first === undefined) return null;
  const joined = others.map((rows) => sql`CROSS JOIN LATERAL ${rows}`);
  return sql`FROM ${join([first, ...(arrayJoin === null ? [] : [arrayJoin]), ...joined], " ")}`;
}
