import { errorAt, HogqlError } from "../../shape/errors.ts";
import { join, type Sql, sql } from "../../sql/sql.ts";
import type { Value } from "../../value/types.ts";
import { printExpression } from "../syntax/print.ts";
import { type Expression, eachChild, type Part, type Select } from "../syntax/tree.ts";
import { type GroupKey, isAggregate } from "./groupKeys.ts";
import type { Item } from "./items.ts";
import type { Scope } from "./scope.ts";

/** An entry of GROUP BY: a key, or several that GROUPING SETS puts together. `index` is the column of SELECT that it is, `hidden` the key that is none. */
export interface Group {
  keys: { node: Expression; index: number | null; value: Value; hidden: GroupKey | null }[];
  isSet: boolean;
}

/** GROUP BY of keys, when all else is compiled; columns are counted in text, since a parameter there would be a constant to group by. */
export function groupClause(groups: readonly Group[], mode: string): Sql {
  const list = groups.map(({ keys, isSet }) => {
    const inner = keys.map(({ index, value, hidden }): Sql => {
      if (value.groupKey !== undefined) return value.groupKey();
      if (index !== null) return { parts: [String(index + 1)] };
      // Persons that nothing shows are only told apart.
      const isTold = value.countPersons !== undefined && hidden?.isRead === false;
      return (isTold ? value.identity?.() : undefined) ?? value.sql;
    });
    return isSet ? sql`(${join(inner, ", ")})` : inner[0]!;
  });
  switch (mode) {
    case "all":
      return sql`GROUP BY ${join(list, ", ")}`;
    case "rollup":
      return sql`GROUP BY ROLLUP (${join(list, ", ")})`;
    case "cube":
      return sql`GROUP BY CUBE (${join(list, ", ")})`;
    case "grouping_sets":
      return sql`GROUP BY GROUPING SETS (${join(list, ", ")})`;
    default:
      throw new HogqlError(`GROUP BY ${mode} is not supported.`);
  }
}

/**
 * In a grouped SELECT every column must be under an aggregate or one of the grouped expressions; said in the user's
 * words, since the engine knows only generated names.
 */
export function checkGrouped(node: Select, items: readonly Item[], groups: readonly Group[], scope: Scope): void {
  const keyOf = (part: Expression): string =>
    (part.node === "Field" ? scope.placeOf(part) : null) ?? printExpression(part);
  const keys = new Set<string>();
  for (const { node: expression, index } of groups.flatMap((group) => group.keys)) {
    const item = index === null ? null : items[index]!;
    const key = item === null ? expression : item.node;
    keys.add(printExpression(expression));
    if (item !== null) keys.add(item.printed);
    if (key !== null) keys.add(keyOf(key));
  }
  const isKey = (part: Part): boolean =>
    isExpression(part) && (keys.has(printExpression(part)) || keys.has(keyOf(part)));
  const checked = new Set<Part>();
  // `bound` are the parameters of the lambdas around it.
  const check = (part: Part, bound: ReadonlySet<string> = new Set()): void => {
    if (checked.has(part)) return;
    checked.add(part);
    if (part.node === "Constant" || part.node === "SelectQuery" || part.node === "SelectSetQuery") return;
    if (isAggregate(part)) return;
    if (part.node === "Field" && bound.has(String(part.chain[0]))) return;
    if (part.node === "Lambda") {
      check(part.expr, new Set([...bound, ...part.args]));
      return;
    }
    if (isKey(part)) return;
    // It makes more rows before they are grouped.
    if (part.node === "Call" && part.name === "arrayJoin" && scope.unnested.has(printExpression(part.args[0]!))) {
      throw notGrouped(printExpression(part), part);
    }
    if (part.node === "Field") {
      const alias = scope.aliases.get(String(part.chain[0]));
      if (alias === undefined) throw notGrouped(printExpression(part), part);
      check(alias.node);
      return;
    }
    eachChild(part, (child) => check(child, bound));
  };
  for (const item of items) {
    if (item.node !== null) check(item.node);
    else if (!keys.has(item.printed)) throw notGrouped(item.name, node);
  }
  for (const part of [node.having, node.qualify]) if (part != null) check(part);
  for (const order of node.order_by ?? []) {
    const isItem = order.expr.node === "Constant" || items.some((item) => item.printed === printExpression(order.expr));
    if (!isItem) check(order);
  }
}

function isExpression(part: Part): part is Expression {
  return !["OrderExpr", "WindowExpr", "WindowFrameExpr", "GroupingSet"].includes(part.node);
}

function notGrouped(name: string, node: Part): HogqlError {
  return errorAt(node, `Column \`${name}\` is not under an aggregate function and not in GROUP BY`);
}
