import { HogqlError } from "../errors.ts";
import { findFunction } from "./functions/mod.ts";
import { printExpression } from "./print.ts";
import type { Scope } from "./scope.ts";
import type { Item } from "./select.ts";
import { type Expression, eachChild, type Order, type Select } from "./tree.ts";

/**
 * In a grouped SELECT every column must be under an aggregate or one of the grouped expressions; said in the user's
 * words, since the engine knows only generated names. `grouped` are the columns that GROUP BY names.
 */
export function checkGrouped(
  node: Select,
  items: readonly Item[],
  grouped: readonly (number | null)[],
  scope: Scope,
): void {
  const keyOf = (part: Expression): string =>
    (part.node === "Field" ? scope.placeOf(part) : null) ?? printExpression(part);
  const keys = new Set<string>();
  for (const [i, expression] of (node.group_by ?? []).entries()) {
    const index = grouped[i] ?? null;
    const item = index === null ? null : items[index]!;
    const key = item === null ? expression : item.node;
    keys.add(printExpression(expression));
    if (item !== null) keys.add(item.printed);
    if (key !== null) keys.add(keyOf(key));
  }
  const checked = new Set<Expression | Order>();
  const check = (part: Expression | Order): void => {
    if (checked.has(part)) return;
    checked.add(part);
    if (part.node === "OrderExpr") {
      check(part.expr);
      return;
    }
    if (part.node === "Constant" || part.node === "SelectQuery" || part.node === "SelectSetQuery") return;
    if (part.node === "Call" && findFunction(part.name)?.spec.isAggregate) return;
    if (keys.has(printExpression(part)) || keys.has(keyOf(part))) return;
    if (part.node === "Field") {
      const alias = scope.aliases.get(String(part.chain[0]));
      if (alias === undefined) throw notGrouped(printExpression(part), part);
      check(alias.node);
      return;
    }
    eachChild(part, check);
  };
  for (const item of items) {
    if (item.node !== null) check(item.node);
    else if (!keys.has(item.printed)) throw notGrouped(item.name, node);
  }
  if (node.having != null) check(node.having);
  for (const order of node.order_by ?? []) {
    const isItem = order.expr.node === "Constant" || items.some((item) => item.printed === printExpression(order.expr));
    if (!isItem) check(order);
  }
}

function notGrouped(name: string, node: Expression): HogqlError {
  const message = `Column \`${name}\` is not under an aggregate function and not in GROUP BY`;
  return new HogqlError(message, node.start?.offset, node.end?.offset);
}
