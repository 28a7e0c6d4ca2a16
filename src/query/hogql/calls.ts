import { HogqlError } from "../errors.ts";
import { join, sql } from "../sql.ts";
import { asCondition } from "./convert.ts";
import { compileExpression, constantOf } from "./expressions.ts";
import { type CallContext, findFunction, unknownFunction } from "./functions/mod.ts";
import type { Scope } from "./scope.ts";
import type { Call, Expression } from "./tree.ts";
import type { Value } from "./types.ts";

/** Compiles a call: a function, an aggregate, its `…If` form. Errors: HogqlError. */
export function compileCall(node: Call, scope: Scope, isPositive: boolean): Value {
  const at = [node.start?.offset ?? null, node.end?.offset ?? null] as const;
  const found = findFunction(node.name);
  if (found === null) throw unknownFunction(node.name, ...at);
  const { spec, takesFilter } = found;
  if (node.order_by != null) throw new HogqlError("ORDER BY inside a function is not supported yet.", ...at);
  checkArity(node, spec.min + Number(takesFilter), spec.max + Number(takesFilter), spec.params);
  const params = (node.params ?? []).map((param) => literalOf(param));
  const call: CallContext = { ...calendarOf(scope), name: node.name, params };
  if (!spec.isAggregate) {
    if (node.distinct || node.filter_expr != null) throw new HogqlError(`\`${node.name}\` is not an aggregate.`, ...at);
    const args = node.args.map((arg, i) => compileExpression(arg, scope, spec.isCondition(i, isPositive)));
    return spec.emit(args, call, null);
  }
  const last = takesFilter ? node.args.at(-1)! : null;
  const filters = [last, node.filter_expr ?? null].filter((filter) => filter !== null);
  const inputs = (takesFilter ? node.args.slice(0, -1) : node.args).map((arg) => compileExpression(arg, scope));
  const conditions = filters.map((filter) => compileExpression(filter, scope, true));
  if ([...inputs, ...conditions].some((input) => input.isAggregate)) {
    throw new HogqlError(`Aggregate functions cannot be nested: \`${node.name}\` holds another one.`, ...at);
  }
  const filter = conditions.length === 0 ? null : sql`(${join(conditions.map(asCondition), " AND ")})`;
  if (!node.distinct) return spec.emit(inputs, call, filter);
  if (node.name.toLowerCase() !== "count")
    throw new HogqlError(`DISTINCT in \`${node.name}\` is not supported yet.`, ...at);
  if (inputs.length === 0) throw new HogqlError("count(DISTINCT …) needs an argument.", ...at);
  return findFunction("uniq")!.spec.emit(inputs, call, filter);
}

function calendarOf(scope: Scope) {
  const { timezone, nowMs, weekStartDay } = scope.compilation.context;
  return { timezone, nowMs, weekStartDay };
}

function literalOf(node: Expression): string | number | boolean | null {
  if (node.node !== "Constant")
    throw new HogqlError("Parameters must be literals.", node.start?.offset, node.end?.offset);
  return constantOf(node.value);
}

function checkArity(node: Call, min: number, max: number, params: number): void {
  const at = [node.start?.offset ?? null, node.end?.offset ?? null] as const;
  const count = node.name.toLowerCase() === "count" && node.distinct ? Math.min(node.args.length, 1) : node.args.length;
  if (count < min || count > max) {
    const limit = count < min ? min : max;
    const bound = min === max ? "" : count < min ? "at least " : "at most ";
    const noun = limit === 1 ? "argument" : "arguments";
    throw new HogqlError(`Function '${node.name}' expects ${bound}${limit} ${noun}, found ${node.args.length}`, ...at);
  }
  if ((node.params ?? []).length > params) {
    const noun = params === 1 ? "parameter" : "parameters";
    throw new HogqlError(`Function '${node.name}' expects ${params} ${noun}, found ${node.params!.length}`, ...at);
  }
}
