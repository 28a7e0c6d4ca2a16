import { errorAt, HogqlError } from "../../shape/errors.ts";
import { allOf, join, name, type Sql } from "../../sql/sql.ts";
import { asCondition } from "../../value/convert.ts";
import { constantOf } from "../../value/literals.ts";
import type { Value } from "../../value/types.ts";
import {
  ALL_ROWS,
  type CallContext,
  type FunctionSpec,
  findFunction,
  type Rows,
  unknownFunction,
} from "../functions/mod.ts";
import type { Call, Expression, Lambda } from "../syntax/tree.ts";
import { compileArrayJoinCall } from "./arrayJoin.ts";
import { compileExpression } from "./compile.ts";
import { orderSql } from "./items.ts";
import { compileMatchesAction } from "./recordCalls.ts";
import type { Scope } from "./scope.ts";

/** Compiles a call: a function, an aggregate, a combination of one. Errors: HogqlError. */
export function compileCall(node: Call, scope: Scope, isPositive: boolean): Value {
  if (node.name === "matchesAction") return compileMatchesAction(node, scope, isPositive);
  if (node.name === "arrayJoin") return compileArrayJoinCall(node, scope);
  return emitCall(node, scope, isPositive, null);
}

/** A call of a function of the table; `over` is the window it reads. */
export function emitCall(node: Call, scope: Scope, isPositive: boolean, over: Sql | null): Value {
  const spec = findFunction(node.name);
  if (spec === null) throw unknownFunction(node);
  if (over !== null && spec.kind === "scalar") throw errorAt(node, `\`${node.name}\` does not read a window.`);
  checkArity(node, spec);
  const call = contextOf(node, scope);
  // The groups are made of aggregates and keys; windows read the groups.
  const read = spec.kind === "aggregate" && over === null ? scope.ofRows() : scope;
  const args = compileArgs(node, spec, read, isPositive, call);
  if (spec.kind === "scalar") {
    if (node.distinct || node.filter_expr != null || node.order_by != null) {
      throw errorAt(node, `\`${node.name}\` is not an aggregate.`);
    }
    return spec.emit(args, call, ALL_ROWS);
  }
  if (scope.isLambda) throw errorAt(node, `\`${node.name}\` cannot stand in a lambda.`);
  const filters = node.filter_expr == null ? [] : [compileExpression(node.filter_expr, read, true)];
  if (over === null && [...args, ...filters].some((input) => input.isAggregate)) {
    throw errorAt(node, `Aggregate functions cannot be nested: \`${node.name}\` holds another one.`);
  }
  if ([...args, ...filters].some((input) => input.isWindow)) {
    throw errorAt(node, `\`${node.name}\` cannot hold a window function: put that into a subquery.`);
  }
  const rows: Rows = {
    ...ALL_ROWS,
    over,
    filter: filters.length === 0 ? null : allOf(filters.map(asCondition)),
    isDistinct: node.distinct === true,
    order: orderOf(node, spec, read),
  };
  if (args[0]?.countPersons !== undefined) scope.personCounts++;
  const isOfGroups = args.some((argument) => argument.isAggregate);
  if (!isOfGroups && (over !== null || !isSameByDay(node, spec))) scope.readRows();
  return spec.emit(args, call, rows);
}

/** Whether an aggregate is the same over rows that stand for several. */
function isSameByDay(node: Call, spec: FunctionSpec): boolean {
  const isCount = /^count(If)?$/i.test(node.name);
  const isOfRows = isCount && node.args.length === (node.name.endsWith("If") ? 1 : 0);
  return spec.ignoresRepeats === true || (isCount && (node.distinct === true || isOfRows || isStar(node.args[0])));
}

function contextOf(node: Call, scope: Scope): CallContext {
  const { context, nextAlias } = scope.compilation;
  const { timezone, nowMs, weekStartDay } = context;
  const params = (node.params ?? []).map((param) => literalOf(param));
  const groupsMax = () => scope.groupsMax() * Math.max(1, scope.personCounts);
  const [only] = scope.sources;
  const table = scope.sources.length === 1 ? only!.events?.table : undefined;
  const countRows = table && ((where: Sql) => table.count(where));
  return {
    timezone,
    nowMs,
    weekStartDay,
    name: node.name,
    params,
    groupsMax,
    countRows,
    fresh: () => name(`l${nextAlias()}`),
  };
}

function compileArgs(node: Call, spec: FunctionSpec, scope: Scope, isPositive: boolean, call: CallContext): Value[] {
  const [first, ...others] = node.args;
  if (first?.node === "Lambda") {
    const values = others.map((arg) => compileExpression(arg, scope));
    return [compileLambda(first, spec, values, scope, call), ...values];
  }
  if (isStar(first) && node.name.toLowerCase() === "count") return [];
  const count = node.args.length;
  return node.args.map((arg, i) => compileExpression(arg, scope, spec.isCondition(i, isPositive, count)));
}

/** `count(*)` counts rows. */
const isStar = (node: Expression | undefined): boolean => node?.node === "Field" && node.chain.join() === "*";

function compileLambda(
  node: Lambda,
  spec: FunctionSpec,
  others: readonly Value[],
  scope: Scope,
  call: CallContext,
): Value {
  if (spec.lambda === undefined) throw errorAt(node, `\`${call.name}\` does not take a lambda.`);
  const parameter = call.fresh();
  const values = spec.lambda(parameter, others);
  if (values.length !== node.args.length) {
    throw errorAt(node, `The lambda of \`${call.name}\` takes ${values.length} here, not ${node.args.length}.`);
  }
  const params = new Map(node.args.map((arg, i) => [arg, values[i]!]));
  return { ...compileExpression(node.expr, scope.within(params)), parameter };
}

function orderOf(node: Call, spec: FunctionSpec, scope: Scope): Sql | null {
  if (node.order_by == null || node.order_by.length === 0) return null;
  if (!spec.takesOrder) throw new HogqlError(`ORDER BY inside of \`${node.name}\` is not supported.`);
  const orders = node.order_by.map((order) => orderSql(order, compileExpression(order.expr, scope)));
  return join(orders, ", ");
}

function literalOf(node: Expression): string | number | boolean | null {
  if (node.node !== "Constant") throw errorAt(node, "Parameters must be literals.");
  return constantOf(node.value);
}

function checkArity(node: Call, { min, max, params }: FunctionSpec): void {
  const isCountDistinct = node.name.toLowerCase() === "count" && node.distinct;
  const count = isCountDistinct ? Math.min(node.args.length, 1) : node.args.length;
  if (count < min || count > max) {
    const limit = count < min ? min : max;
    const bound = min === max ? "" : count < min ? "at least " : "at most ";
    const noun = limit === 1 ? "argument" : "arguments";
    throw errorAt(node, `Function '${node.name}' expects ${bound}${limit} ${noun}, found ${node.args.length}`);
  }
  if ((node.params ?? []).length > params) {
    const noun = params === 1 ? "parameter" : "parameters";
    throw errorAt(node, `Function '${node.name}' expects ${params} ${noun}, found ${node.params!.length}`);
  }
}
