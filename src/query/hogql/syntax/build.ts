import type { Cte, Embedded, Expression, Join, Order, Query, Select, Window } from "./tree.ts";

/** Nodes of a tree that is made instead of parsed. */
export const field = (...chain: string[]): Expression => ({ node: "Field", chain });
/** The person of an event where it is only told apart from others, never shown. */
export const identity = (...chain: string[]): Expression => ({ node: "Field", chain, isIdentity: true });
/** A time of which only the day counts. */
export const ofDay = (...chain: string[]): Expression => ({ node: "Field", chain, isOfDay: true });
/** HogQL of a user inside of a node. `place` names its field in errors. */
export const embedded = (expr: Expression, use: Embedded["use"], place: string): Expression => ({
  node: "Embedded",
  expr,
  use,
  place,
});
export const constant = (value: string | number | boolean | null): Expression => ({ node: "Constant", value });
export const alias = (name: string, expr: Expression): Expression => ({ node: "Alias", alias: name, expr });
export const call = (name: string, ...args: Expression[]): Expression => ({ node: "Call", name, args });
export const parametric = (name: string, params: (string | number)[], ...args: Expression[]): Expression => ({
  node: "Call",
  name,
  args,
  params: params.map(constant),
});
export const compare = (left: Expression, op: string, right: Expression): Expression => ({
  node: "CompareOperation",
  left,
  op,
  right,
});
export const not = (expr: Expression): Expression => ({ node: "Not", expr });
export const lambda = (parameter: string, expr: Expression): Expression => ({
  node: "Lambda",
  args: [parameter],
  expr,
});
export const tuple = (...exprs: Expression[]): Expression => ({ node: "Tuple", exprs });
export const list = (...exprs: Expression[]): Expression => ({ node: "Array", exprs });
export const orderBy = (expr: Expression, order: Order["order"] = "ASC"): Order => ({ node: "OrderExpr", expr, order });
export const over = (name: string, args: Expression[], window: Omit<Window, "node">): Expression => ({
  node: "WindowFunction",
  name,
  exprs: args,
  args: [],
  over_expr: { node: "WindowExpr", ...window },
});
export const from = (table: Query | string, name?: string, next?: Join): Join => ({
  node: "JoinExpr",
  table: typeof table === "string" ? field(table) : table,
  ...(name !== undefined && { alias: name }),
  ...(next !== undefined && { next_join: next }),
});
/** A table that others are joined with; without a condition each row with all. */
export const joined = (table: Query | string, on: Expression | null = null, name?: string): Join => ({
  ...from(table, name),
  join_type: on === null ? "CROSS JOIN" : "JOIN",
  ...(on !== null && { constraint: { constraint_type: "ON", expr: on } }),
});
export const arithmetic = (left: Expression, op: "+" | "-" | "*" | "/", right: Expression): Expression => ({
  node: "ArithmeticOperation",
  left,
  op,
  right,
});
export const withQuery = (name: string, expr: Query): Cte => ({ node: "CTE", name, expr, cte_type: "subquery" });
export const select = (columns: Expression[], clauses: Omit<Select, "node" | "select">): Select => ({
  node: "SelectQuery",
  select: columns,
  ...clauses,
});

/** All of the conditions; null for none. */
export function and(conditions: readonly Expression[]): Expression | null {
  if (conditions.length <= 1) return conditions[0] ?? null;
  return { node: "And", exprs: [...conditions] };
}

/** Any of the conditions, of which there is one at least. */
export const or = (conditions: readonly [Expression, ...Expression[]]): Expression =>
  conditions.length === 1 ? conditions[0] : { node: "Or", exprs: [...conditions] };

/** The rows of all queries. */
export function unionAll([first, ...rest]: readonly Query[]): Query {
  if (first === undefined) throw new Error("no query to unite");
  if (rest.length === 0) return first;
  const subsequent = rest.map((query) => ({ select_query: query, set_operator: "UNION ALL" }));
  return { node: "SelectSetQuery", initial_select_query: first, subsequent_select_queries: subsequent };
}
