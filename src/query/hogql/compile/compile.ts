import { inside, placed } from "../../shape/errors.ts";
import { asCondition } from "../../value/convert.ts";
import { typeOf, type Value, value } from "../../value/types.ts";
import type { Expression, Query } from "../syntax/tree.ts";
import type { Compilation, CompiledQuery, Ctes, Scope, TopLimit } from "./scope.ts";

/**
 * Compiles an expression. `isPositive`: the result only decides, and NULL decides like false (engine rule 17).
 * Errors: HogqlError with the place of the innermost expression that is wrong.
 */
export function compileExpression(node: Expression, scope: Scope, isPositive = false): Value {
  return placed(node, () => scope.compilation.compiler.expression(node, scope, isPositive));
}

/** Compiles what decides about rows (WHERE, HAVING). */
export function compileCondition(node: Expression, scope: Scope): Value {
  const condition = compileExpression(node, scope, true);
  return placed(node, () => value(asCondition(condition), typeOf("bool"), [condition]));
}

/** Compiles a SELECT or a UNION. Errors: HogqlError, TerminalError `invalid_query`. */
export function compileQuery(
  node: Query,
  compilation: Compilation,
  ctes: Ctes,
  top: TopLimit | null = null,
): CompiledQuery {
  return inside(node.place ?? "", () => placed(node, () => compilation.compiler.query(node, compilation, ctes, top)));
}
