import type { Expression, Order } from "./tree.ts";

// Trees that are made instead of parsed.

export const field = (...chain: string[]): Expression => ({ node: "Field", chain });
export const constant = (value: string | number): Expression => ({ node: "Constant", value });
export const alias = (name: string, expr: Expression): Expression => ({ node: "Alias", alias: name, expr });
export const call = (name: string, ...args: Expression[]): Expression => ({ node: "Call", name, args });
export const compare = (left: Expression, op: string, right: Expression): Expression => ({
  node: "CompareOperation",
  left,
  op,
  right,
});
export const and = (exprs: Expression[]): Expression => (exprs.length === 1 ? exprs[0]! : { node: "And", exprs });
export const orderBy = (expr: Expression, order: Order["order"]): Order => ({ node: "OrderExpr", expr, order });
