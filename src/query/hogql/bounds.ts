import { asDatetime } from "./convert.ts";
import { compileExpression } from "./expressions.ts";
import type { Scope, TimeBounds } from "./scope.ts";
import type { Compare, Expression } from "./tree.ts";

const FLIPPED: Record<string, string> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==" };

/**
 * The time that a WHERE bounds events to, read from conditions that all rows must meet: it chooses the files, the
 * statement keeps its own exact condition.
 */
export function timeBounds(where: Expression | null | undefined, scope: Scope): TimeBounds {
  const bounds: TimeBounds = { fromMs: null, toMs: null };
  for (const condition of conjuncts(where)) {
    for (const found of boundsOf(condition, scope)) narrow(bounds, found);
  }
  return bounds;
}

/** What holds for all uses of the table together. */
export function unionOf(bounds: readonly TimeBounds[]): TimeBounds {
  if (bounds.length === 0) return { fromMs: 0, toMs: 0 };
  const from = bounds.map((one) => one.fromMs);
  const to = bounds.map((one) => one.toMs);
  return {
    fromMs: from.includes(null) ? null : Math.min(...(from as number[])),
    toMs: to.includes(null) ? null : Math.max(...(to as number[])),
  };
}

function narrow(bounds: TimeBounds, by: TimeBounds): void {
  if (by.fromMs !== null) bounds.fromMs = Math.max(bounds.fromMs ?? by.fromMs, by.fromMs);
  if (by.toMs !== null) bounds.toMs = Math.min(bounds.toMs ?? by.toMs, by.toMs);
}

function conjuncts(node: Expression | null | undefined): Expression[] {
  if (node == null) return [];
  if (node.node === "And") return node.exprs.flatMap(conjuncts);
  if (node.node === "Call" && node.name === "and") return node.args.flatMap(conjuncts);
  return [node];
}

function boundsOf(node: Expression, scope: Scope): TimeBounds[] {
  if (node.node === "CompareOperation") return compared(node, scope);
  if (node.node === "BetweenExpr" && !node.negated) {
    const { expr: left } = node;
    return [
      ...compared({ node: "CompareOperation", op: ">=", left, right: node.low }, scope),
      ...compared({ node: "CompareOperation", op: "<=", left, right: node.high }, scope),
    ];
  }
  if (node.node === "Placeholder" && node.expr.node === "Field") {
    const bounds = scope.compilation.placeholders.get(node.expr.chain.join("."))?.bounds;
    return bounds == null ? [] : [bounds];
  }
  return [];
}

function compared(node: Compare, scope: Scope): TimeBounds[] {
  const flipped = FLIPPED[node.op];
  if (flipped === undefined) return [];
  const isLeft = isTimestamp(node.left, scope);
  if (!isLeft && !isTimestamp(node.right, scope)) return [];
  const other = compileExpression(isLeft ? node.right : node.left, scope);
  if (other.instant === undefined && other.day === undefined && typeof other.constant !== "string") return [];
  const at = asDatetime(other, scope.compilation.context).instant;
  if (at === undefined) return [];
  const op = isLeft ? node.op : flipped;
  // Whole milliseconds outwards: a file too many does no harm.
  const bounds: TimeBounds = { fromMs: null, toMs: null };
  if (op !== "<" && op !== "<=") bounds.fromMs = at.epochMilliseconds;
  if (op !== ">" && op !== ">=") bounds.toMs = at.epochMilliseconds + 1;
  return [bounds];
}

function isTimestamp(node: Expression, scope: Scope): boolean {
  return node.node === "Field" && scope.resolve(node).isTimestamp === true;
}
