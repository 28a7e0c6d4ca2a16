import { parseUuid } from "../../../types/mod.ts";
import type { Span } from "../../time/dates.ts";
import { asDatetime } from "../../value/convert.ts";
import type { Value } from "../../value/types.ts";
import type { Compare, Expression } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import { type Scope, UnsetDate } from "./scope.ts";

const FLIPPED: Record<string, string> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==" };

/**
 * Narrows the time of the events that a condition speaks of, as far as all rows must meet it: it chooses the files, the
 * statement keeps its own exact condition. `only`: no other events than those of these bounds.
 */
export function narrowBounds(where: Expression | null | undefined, scope: Scope, only: Span | null = null): void {
  for (const condition of conjuncts(where)) {
    for (const { of, by } of boundsOf(condition, scope)) {
      if (only !== null && of !== only) continue;
      if (by.fromMs !== null) of.fromMs = Math.max(of.fromMs ?? by.fromMs, by.fromMs);
      if (by.toMs !== null) of.toMs = Math.min(of.toMs ?? by.toMs, by.toMs);
    }
  }
}

/** Tells a table of events the person of which all its rows must be, where a condition says so. */
export function narrowPerson(where: Expression | null | undefined, scope: Scope): void {
  for (const condition of conjuncts(where)) {
    if (condition.node !== "CompareOperation" || condition.op !== "==") continue;
    for (const [side, other] of [
      [condition.left, condition.right],
      [condition.right, condition.left],
    ] as const) {
      if (side.node !== "Field" || other.node !== "Constant") continue;
      const id = typeof other.value === "string" ? parseUuid(other.value) : null;
      if (id !== null) scope.resolve(side).ofPerson?.(id);
    }
  }
}

/** What holds for all uses of the table together. */
export function unionOf(uses: readonly (() => Span)[]): Span {
  const bounds = uses.map((use) => use());
  if (bounds.length === 0) return { fromMs: 0, toMs: 0 };
  const from = bounds.map((one) => one.fromMs);
  const to = bounds.map((one) => one.toMs);
  return {
    fromMs: from.includes(null) ? null : Math.min(...(from as number[])),
    toMs: to.includes(null) ? null : Math.max(...(to as number[])),
  };
}

/** The conditions that must all hold. */
export function conjuncts(node: Expression | null | undefined): Expression[] {
  if (node == null) return [];
  if (node.node === "And") return node.exprs.flatMap(conjuncts);
  if (node.node === "Call" && node.name === "and") return node.args.flatMap(conjuncts);
  return [node];
}

interface Narrowing {
  of: Span;
  by: Span;
}

function boundsOf(node: Expression, scope: Scope): Narrowing[] {
  if (node.node === "CompareOperation") return compared(node, scope);
  if (node.node === "BetweenExpr" && !node.negated) {
    const { expr: left } = node;
    return [
      ...compared({ node: "CompareOperation", op: ">=", left, right: node.low }, scope),
      ...compared({ node: "CompareOperation", op: "<=", left, right: node.high }, scope),
    ];
  }
  if (node.node === "Placeholder" && node.expr.node === "Field") {
    const by = scope.compilation.placeholders.get(node.expr.chain.join("."))?.bounds;
    const of = scope.timed();
    return by == null || of === null ? [] : [{ of, by }];
  }
  return [];
}

function compared(node: Compare, scope: Scope): Narrowing[] {
  const flipped = FLIPPED[node.op];
  if (flipped === undefined) return [];
  const left = timeOf(node.left, scope);
  const of = left ?? timeOf(node.right, scope);
  if (of === null) return [];
  const other = knownOf(left === null ? node.left : node.right, scope);
  if (other === null) return [];
  if (other.instant === undefined && other.day === undefined && typeof other.constant !== "string") return [];
  const at = asDatetime(other, scope.compilation.context).instant;
  if (at === undefined) return [];
  const op = left === null ? flipped : node.op;
  // Events have whole milliseconds.
  const by: Span = { fromMs: null, toMs: null };
  if (op !== "<" && op !== "<=") by.fromMs = at.epochMilliseconds;
  if (op !== ">" && op !== ">=")
    by.toMs = at.epochMilliseconds - (op === "<" && at.microsecond + at.nanosecond === 0 ? 1 : 0);
  return [{ of, by }];
}

/** A value, unless it is a date that the query's filters do not have: then the comparison holds for all rows. */
function knownOf(node: Expression, scope: Scope): Value | null {
  try {
    return compileExpression(node, scope);
  } catch (error) {
    if (error instanceof UnsetDate) return null;
    throw error;
  }
}

function timeOf(node: Expression, scope: Scope): Span | null {
  return node.node === "Field" ? (scope.resolve(node).bounds ?? null) : null;
}
