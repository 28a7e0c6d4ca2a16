import { parseUuid } from "../../../types/mod.ts";
import { HogqlError } from "../../shape/errors.ts";
import { isOneOfMany, MANY_TEXTS, name, type Sql, sql } from "../../sql/sql.ts";
import { tupleOfValues } from "../../value/access.ts";
import { inList } from "../../value/compare.ts";
import { asText } from "../../value/convert.ts";
import { elementOf, typeOf, type Value, value } from "../../value/types.ts";
import { unify } from "../../value/unify.ts";
import { field } from "../syntax/build.ts";
import type { Compare, Expression, Select } from "../syntax/tree.ts";
import { compileExpression, compileQuery } from "./compile.ts";
import type { CompiledQuery, Scope } from "./scope.ts";

/** `x [NOT] IN` a list, an array or a subquery; NULL is in a list only where the list names it. Errors: HogqlError. */
export function compileIn(node: Compare, scope: Scope, isPositive: boolean): Value {
  const { compilation } = scope;
  const isNegated = node.op === "not in";
  const left = compileExpression(node.left, scope);
  const { right } = node;
  if (right.node === "Tuple" || right.node === "Array") {
    const listed = right.exprs.map((member) => compileExpression(member, scope));
    const many = inManyTexts(left, listed, { isNegated, isPositive }, scope);
    if (many !== null) return many;
    // Brackets around one tuple are lost in the tree.
    const isOne = left.type.kind === "tuple" && listed.every((member) => member.type.kind !== "tuple");
    const members = isOne ? [tupleOfValues(listed)] : listed;
    return inList(left, members, isNegated, isPositive, compilation.context);
  }
  if (right.node === "Constant") {
    return inList(left, [compileExpression(right, scope)], isNegated, isPositive, compilation.context);
  }
  const query = isQuery(right, scope) ? queryOf(right, scope) : null;
  if (query === null) {
    const array = compileExpression(right, scope);
    if (array.items === undefined) return inArray(array, left, isNegated, scope);
    const many = inManyTexts(left, array.items, { isNegated, isPositive }, scope);
    return many ?? inList(left, array.items, isNegated, isPositive, compilation.context);
  }
  const columns = query.columns.map((column, i) => value(name(`c${i}`), column.type));
  const whole = columns.length === 1 ? columns[0]! : tupleOfValues(columns);
  if (columns.length > 1 && left.type.members?.length !== columns.length) {
    throw new HogqlError(`A subquery of IN with ${columns.length} columns needs a tuple of as many before IN.`);
  }
  if (scope.isLambda) throw new HogqlError("A subquery cannot stand in a lambda.");
  const [a, b] = sameKind(left, whole, scope);
  // NULL is in a subquery that has one: structs of it are equal.
  const mayMeetNull = a.type.nullable && b.type.nullable;
  const key = (side: Value): Sql => (mayMeetNull ? sql`struct_pack(v := ${side.sql})` : side.sql);
  const found = sql`(${key(a)} IN (SELECT ${key(b)} FROM (${query.sql})))`;
  const exact = isPositive && !isNegated ? found : sql`coalesce(${found}, FALSE)`;
  return value(isNegated ? sql`(NOT ${exact})` : exact, typeOf("bool"), [left]);
}

/** `x IN` a long list of literal texts (`isOneOfMany`). Null where it is none, or stands in a lambda. */
function inManyTexts(
  left: Value,
  items: readonly Value[],
  { isNegated, isPositive }: { isNegated: boolean; isPositive: boolean },
  scope: Scope,
): Value | null {
  const { kind } = left.type;
  if (items.length < MANY_TEXTS || scope.isLambda || (kind !== "string" && kind !== "uuid")) return null;
  const texts = items.flatMap(({ constant }) => (typeof constant === "string" ? [constant] : []));
  if (texts.length < items.length) return null;
  const [type, list] =
    kind === "uuid"
      ? (["UUID", texts.flatMap((text) => parseUuid(text) ?? [])] as const)
      : (["VARCHAR", texts] as const);
  const found = sql`(${isOneOfMany(left.sql, list, type)})`;
  const exact = isPositive && !isNegated ? found : sql`coalesce(${found}, FALSE)`;
  return value(isNegated ? sql`(NOT ${exact})` : exact, typeOf("bool"), [left]);
}

/** `x IN xs` of an array. */
function inArray(array: Value, left: Value, isNegated: boolean, scope: Scope): Value {
  if (array.type.kind !== "array") throw new HogqlError("The right side of IN must be a list or a subquery.");
  const [x] = unify([left, value(array.sql, elementOf(array.type))], scope.compilation.context).values;
  const found = sql`coalesce(list_contains(${array.sql}, ${x!.sql}), FALSE)`;
  return value(isNegated ? sql`(NOT ${found})` : found, typeOf("bool"), [left, array]);
}

/** A subquery, or the name of one of WITH. */
function isQuery(node: Expression, scope: Scope): boolean {
  if (node.node === "Field") {
    const named = node.chain.length === 1 ? scope.ctes.get(String(node.chain[0])) : undefined;
    return named !== undefined && "sqlName" in named;
  }
  return node.node === "SelectQuery" || node.node === "SelectSetQuery";
}

function queryOf(node: Expression, scope: Scope): CompiledQuery {
  if (node.node === "SelectQuery" || node.node === "SelectSetQuery") {
    return compileQuery(node, scope.compilation, scope.ctes);
  }
  const all: Select = {
    node: "SelectQuery",
    select: [field("*")],
    select_from: { node: "JoinExpr", table: node },
  };
  return compileQuery(all, scope.compilation, scope.ctes);
}

function sameKind(left: Value, right: Value, scope: Scope): [Value, Value] {
  if (left.type.kind === right.type.kind) return [left, right];
  const { context } = scope.compilation;
  if (left.type.kind === "uuid" || right.type.kind === "uuid") return [asText(left, context), asText(right, context)];
  const [a, b] = unify([left, right], context).values;
  return [a!, b!];
}
