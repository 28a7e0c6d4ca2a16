import { errorAt, placed } from "../../shape/errors.ts";
import { allOf, join, type Sql, sql } from "../../sql/sql.ts";
import { meets } from "../../value/compare.ts";
import type { Value } from "../../value/types.ts";
import { optional, type Source } from "../schema/source.ts";
import type { Expression, Join } from "../syntax/tree.ts";
import { conjuncts, narrowBounds } from "./bounds.ts";
import { compileCondition, compileExpression } from "./compile.ts";
import { tableOf } from "./from.ts";
import type { Scope } from "./scope.ts";

type Kind = "INNER" | "LEFT" | "RIGHT" | "FULL" | "CROSS" | "SEMI" | "ANTI";

const KINDS: Record<string, Kind> = {
  JOIN: "INNER",
  "INNER JOIN": "INNER",
  "LEFT JOIN": "LEFT",
  "LEFT OUTER JOIN": "LEFT",
  "RIGHT JOIN": "RIGHT",
  "RIGHT OUTER JOIN": "RIGHT",
  "FULL JOIN": "FULL",
  "FULL OUTER JOIN": "FULL",
  "CROSS JOIN": "CROSS",
  "SEMI JOIN": "SEMI",
  "LEFT SEMI JOIN": "SEMI",
  "ANTI JOIN": "ANTI",
  "LEFT ANTI JOIN": "ANTI",
};

const TEXTS: Record<Kind, Sql> = {
  INNER: sql`INNER JOIN`,
  LEFT: sql`LEFT JOIN`,
  RIGHT: sql`RIGHT JOIN`,
  FULL: sql`FULL JOIN`,
  CROSS: sql`CROSS JOIN`,
  SEMI: sql`SEMI JOIN`,
  ANTI: sql`ANTI JOIN`,
};

/**
 * Compiles FROM and adds its tables to the scope. Its SQL is to be asked for last: it joins what the fields of the SELECT
 * have looked up. Errors: HogqlError for an unknown table or a JOIN that is not supported.
 */
export function compileFrom(first: Join, scope: Scope): () => Sql {
  const pieces: (() => Sql)[] = [];
  for (let part: Join | null = first; part !== null; part = part.next_join ?? null) {
    pieces.push(part === first ? compileFirst(part, scope) : compileJoin(part, scope));
  }
  return () =>
    join(
      pieces.map((piece) => piece()),
      " ",
    );
}

function compileFirst(part: Join, scope: Scope): () => Sql {
  const source = newTable(part, scope);
  scope.sources.push(source);
  return () => source.from();
}

function compileJoin(part: Join, scope: Scope): () => Sql {
  const kind = KINDS[part.join_type ?? ""];
  if (kind === undefined) throw errorAt(part, `${part.join_type} is not supported.`);
  const source = newTable(part, scope);
  const { constraint } = part;
  if (kind === "CROSS" && constraint == null) {
    scope.sources.push(source);
    return () => sql`CROSS JOIN ${source.from()}`;
  }
  if (constraint == null) throw errorAt(part, "JOIN needs ON with the fields that meet.");
  const isRightKept = kind === "RIGHT" || kind === "FULL";
  if (isRightKept && constraint.constraint_type === "USING") {
    throw errorAt(part, `${part.join_type} with USING is not supported: say ON which fields meet.`);
  }
  const pairs = constraint.constraint_type === "USING" ? pairsOf(constraint.expr, scope, source) : null;
  if (isRightKept) scope.sources.splice(0, Number.POSITIVE_INFINITY, ...scope.sources.map(optional));
  scope.sources.push(kind === "LEFT" || kind === "FULL" ? optional(source) : source);
  const on = pairs === null ? compileOn(constraint.expr, scope) : compileUsing(pairs, scope);
  // The rows of a LEFT JOIN's left side need not meet it.
  if (pairs === null && (kind === "INNER" || (kind === "LEFT" && source.events !== undefined))) {
    narrowBounds(constraint.expr, scope, kind === "INNER" ? null : source.events!.bounds);
  }
  // It only chooses rows of the left side.
  if (kind === "SEMI" || kind === "ANTI") scope.sources.pop();
  return () => sql`${TEXTS[kind]} ${source.from()} ON ${on}`;
}

function newTable(part: Join, scope: Scope): Source {
  if (part.sample != null) throw errorAt(part, "SAMPLE is not supported.");
  if (part.table_final) throw errorAt(part, "FINAL is not supported.");
  const source = tableOf(part, scope);
  if (source.alias !== "" && scope.sources.some(({ alias }) => alias === source.alias)) {
    throw errorAt(part, `There are two tables with the name ${source.alias}: give one an alias.`);
  }
  return source;
}

/** ON: conditions that must all hold, one of them at least an equality, since anything else pairs all with all. */
function compileOn(node: Expression, scope: Scope): Sql {
  let isBound = false;
  const conditions = conjuncts(node).map((condition) => {
    const sides = sidesOf(condition);
    if (sides === null) return compileCondition(condition, scope);
    const [left, right] = [compileExpression(sides[0], scope), compileExpression(sides[1], scope)];
    isBound ||= left.constant === undefined && right.constant === undefined;
    return placed(condition, () => meets(left, right, scope.compilation.context));
  });
  if (!isBound) throw errorAt(node, "JOIN needs an equality of two fields in ON.");
  if (conditions.some((condition) => condition.isAggregate)) {
    throw errorAt(node, "Aggregate functions are not allowed in ON.");
  }
  return allOf(conditions.map((condition) => condition.sql));
}

/** The sides of an equality, also where it is written as a function: so queries are printed. */
function sidesOf(node: Expression): [Expression, Expression] | null {
  if (node.node === "CompareOperation" && node.op === "==") return [node.left, node.right];
  return node.node === "Call" && node.name === "equals" && node.args.length === 2
    ? [node.args[0]!, node.args[1]!]
    : null;
}

/** The columns of USING on both sides. */
function pairsOf(node: Expression, scope: Scope, source: Source): [Value, Value][] {
  return (node.node === "Tuple" ? node.exprs : [node]).map((field) => {
    if (field.node !== "Field" || field.chain.length !== 1) throw errorAt(field, "USING takes names of columns.");
    const right = source.field(field.chain);
    if (right === null) throw errorAt(field, `Unable to resolve field: ${field.chain[0]}`);
    const left = scope.resolve(field);
    scope.merged.add(String(field.chain[0]));
    return [left, right.value];
  });
}

function compileUsing(pairs: readonly [Value, Value][], scope: Scope): Sql {
  return allOf(pairs.map(([left, right]) => meets(left, right, scope.compilation.context).sql));
}
