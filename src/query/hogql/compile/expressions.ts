import { HogqlError } from "../../shape/errors.ts";
import { integer, join, NULL, sql } from "../../sql/sql.ts";
import { access, readInto, tupleOfValues } from "../../value/access.ts";
import { castTo } from "../../value/cast.ts";
import { between, compare } from "../../value/compare.ts";
import { asCondition, asInt } from "../../value/convert.ts";
import { constantOf, literal } from "../../value/literals.ts";
import { parseType } from "../../value/typeNames.ts";
import { typeOf, type Value, value } from "../../value/types.ts";
import { arrayOfValues } from "../../value/unify.ts";
import { arithmetic } from "../functions/mod.ts";
import type { Cast, Compare, Expression, Logic } from "../syntax/tree.ts";
import { compileCall } from "./calls.ts";
import { compileExpression, compileQuery } from "./compile.ts";
import { compileEmbedded } from "./embedded.ts";
import { addAlias } from "./items.ts";
import { compileIn } from "./membership.ts";
import { compileInCohort } from "./recordCalls.ts";
import { type Scope, UnsetDate, unknownPlaceholder } from "./scope.ts";
import { compileWindow } from "./windows.ts";

/** What `Compiler.expression` does: each kind of node by its own file. */
export function compileNode(node: Expression, scope: Scope, isPositive: boolean): Value {
  const key = scope.keys.find(node, scope);
  if (key !== null) return key.grouped(scope);
  const { context } = scope.compilation;
  switch (node.node) {
    case "Constant":
      return largeInteger(node.value) ?? literal(constantOf(node.value));
    case "Field": {
      const found = scope.resolve(node);
      if (node.isOfDay && found.ofDay !== undefined) return value(found.ofDay, found.type);
      return node.isIdentity && found.identity !== undefined ? value(found.identity(), found.type) : found;
    }
    case "Embedded":
      return compileEmbedded(node, scope, isPositive);
    case "Alias": {
      const aliased = compileExpression(node.expr, scope, isPositive);
      // The same expression may be compiled more than once: its name is given once.
      if (scope.aliases.get(node.alias)?.node !== node.expr) addAlias(node.alias, aliased, node.expr, scope, node);
      return aliased;
    }
    case "Call":
      return compileCall(node, scope, isPositive);
    case "CompareOperation":
      return compileCompare(node, scope, isPositive);
    case "IsDistinctFrom": {
      const [left, right] = [compileExpression(node.left, scope), compileExpression(node.right, scope)];
      return compare(node.negated ? "==" : "!=", left, right, false, context);
    }
    case "BetweenExpr": {
      const [expr, low, high] = [node.expr, node.low, node.high].map((part) => compileExpression(part, scope));
      return between(expr!, low!, high!, node.negated, isPositive, context);
    }
    case "And":
    case "Or":
      return compileLogic(node, scope, isPositive);
    case "Not": {
      const inner = compileExpression(node.expr, scope);
      return value(sql`(NOT ${asCondition(inner)})`, typeOf("bool", inner.type.nullable), [inner]);
    }
    case "ArithmeticOperation":
      return arithmetic(node.op, compileExpression(node.left, scope), compileExpression(node.right, scope), context);
    case "Array":
      return arrayOfValues(
        node.exprs.map((item) => compileExpression(item, scope)),
        context,
      );
    case "Tuple":
      return tupleOfValues(node.exprs.map((item) => compileExpression(item, scope)));
    case "ArrayAccess":
      return access(compileExpression(node.array, scope), compileExpression(node.property, scope), node, context);
    case "ArraySlice": {
      const [array, from, to] = [node.array, node.start_expr, node.end_expr].map((part) =>
        part == null ? null : compileExpression(part, scope),
      );
      if (array?.type.kind !== "array") throw new HogqlError("Only an array can be sliced.");
      const edge = (bound: Value | null | undefined) => (bound == null ? NULL : asInt(bound).sql);
      return value(sql`list_slice(${array.sql}, ${edge(from)}, ${edge(to)})`, array.type, [array]);
    }
    case "TupleAccess": {
      if (node.index === 0) throw new HogqlError("SQL indexes start from one, not from zero. E.g: array.1");
      return readInto(compileExpression(node.tuple, scope), [node.index], node);
    }
    case "TypeCast":
    case "TryCast":
      return compileCast(node, scope);
    case "Placeholder":
      return compilePlaceholder(node.expr, scope);
    case "WindowFunction":
      if (scope.isLambda) throw new HogqlError("A window function cannot stand in a lambda.");
      return compileWindow(node, scope);
    case "Lambda":
      throw new HogqlError("A lambda (`x -> …`) can only be an argument of a function that takes one.");
    case "SelectQuery":
    case "SelectSetQuery": {
      if (scope.isLambda) throw new HogqlError("A subquery cannot stand in a lambda.");
      const query = compileQuery(node, scope.compilation, scope.ctes);
      if (query.columns.length !== 1) throw new HogqlError("A subquery in an expression must have one column.");
      return value(sql`(${query.sql})`, { ...query.columns[0]!.type, nullable: true });
    }
    default:
      throw new HogqlError(`${nameOfNode(node)} is not supported.`);
  }
}

/** What the user calls a part of the language that is refused. */
function nameOfNode(node: { node: string }): string {
  const names: Record<string, string> = {
    Dict: "A dictionary in braces (use `map(…)`)",
    ColumnsExpr: "Choosing columns by a pattern (`COLUMNS`, `* EXCLUDE`)",
    HogQLXTag: "An element (`<Tag />`)",
    ExprCall: "A call of an expression, or a type with parameters,",
    PivotExpr: "PIVOT",
    ValuesQuery: "VALUES as a value",
  };
  return names[node.node] ?? node.node;
}

/** A literal beyond what a JavaScript number holds exactly; beyond 64 bits the parser itself gives a fraction. */
function largeInteger(constant: unknown): Value | null {
  if (typeof constant !== "object" || constant === null || !("value" in constant)) return null;
  const digits = String(constant.value);
  if (!/^-?\d+$/.test(digits) || Number.isSafeInteger(Number(digits))) return null;
  return value(integer(BigInt(digits)), typeOf("int"));
}

function compileLogic(node: Logic, scope: Scope, isPositive: boolean): Value {
  const parts = node.exprs.map((part) => compileExpression(part, scope, isPositive));
  const joined = join(parts.map(asCondition), node.node === "And" ? " AND " : " OR ");
  return value(
    sql`(${joined})`,
    typeOf(
      "bool",
      parts.some((part) => part.type.nullable),
    ),
    parts,
  );
}

function compileCompare(node: Compare, scope: Scope, isPositive: boolean): Value {
  const { context } = scope.compilation;
  if (node.op === "in" || node.op === "not in") return compileIn(node, scope, isPositive);
  if (node.op === "in cohort" || node.op === "not in cohort") return compileInCohort(node, scope);
  try {
    const [left, right] = [compileExpression(node.left, scope), compileExpression(node.right, scope)];
    return compare(node.op, left, right, isPositive, context);
  } catch (error) {
    if (error instanceof UnsetDate) return literal(true);
    throw error;
  }
}

function compileCast(node: Cast, scope: Scope): Value {
  const type = parseType(node.type_name);
  if (type === null) throw new HogqlError(`Unsupported type cast to ${node.type_name}`);
  return castTo(compileExpression(node.expr, scope), type, scope.compilation.context);
}

function compilePlaceholder(expr: Expression, scope: Scope): Value {
  const chain = expr.node === "Field" ? expr.chain.map(String) : [];
  return (scope.compilation.placeholders.get(chain.join(".")) ?? unknownPlaceholder(chain, scope)).compile(scope);
}
