import { errorAt, HogqlError } from "../../shape/errors.ts";
import { integer, join, type Sql, sql } from "../../sql/sql.ts";
import { type Expression, isWhole, type Select } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import type { RowWindow, Scope, TopLimit } from "./scope.ts";

/** What LIMIT and OFFSET say, within the limits of the top. Errors: HogqlError. */
export function windowOf(node: Pick<Select, "limit" | "offset">, scope: Scope, top: TopLimit | null): RowWindow {
  const asked = wholeOf(node.limit, "LIMIT", scope);
  const limit = top === null ? asked : Math.min(asked ?? top.fallback, top.max);
  return { limit, offset: wholeOf(node.offset, "OFFSET", scope) };
}

export function limitClauses({ limit, offset }: RowWindow, extra: number): Sql[] {
  const clauses: Sql[] = [];
  if (limit !== null) clauses.push(sql`LIMIT ${integer(limit + extra)}`);
  if (offset !== null) clauses.push(sql`OFFSET ${integer(offset)}`);
  return clauses;
}

/** The number in LIMIT or OFFSET; null when there is none. */
function wholeOf(node: Expression | null | undefined, clause: string, scope: Scope): number | null {
  if (node == null) return null;
  const { constant } = compileExpression(node, scope);
  if (isWhole(constant)) return constant;
  throw errorAt(node, `${clause} must be a whole number.`);
}

/** `LIMIT n OFFSET m BY keys`: of the rows with equal keys only some, in the order of the SELECT. */
export function limitByCondition(node: Select, scope: Scope, orders: readonly Sql[]): Sql | null {
  const { limit_by: limitBy } = node;
  if (limitBy == null) return null;
  if (node.qualify != null || node.distinct) {
    throw new HogqlError("LIMIT BY does not go with QUALIFY or DISTINCT: put one of them into a subquery.");
  }
  const count = wholeOf(limitBy.n, "LIMIT", scope) ?? 0;
  const offset = wholeOf(limitBy.offset_value, "OFFSET", scope) ?? 0;
  const keys = limitBy.exprs.map((key) => compileExpression(key, scope).sql);
  const order = orders.length === 0 ? sql`` : sql` ORDER BY ${join(orders, ", ")}`;
  const place = sql`row_number() OVER (PARTITION BY ${join(keys, ", ")}${order})`;
  return sql`${place} > ${integer(offset)} AND ${place} <= ${integer(offset + count)}`;
}
