import { errorAt } from "../../shape/errors.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { mayBeNaN, type Value } from "../../value/types.ts";
import { printExpression, printName } from "../syntax/print.ts";
import { type Expression, isWhole, type Order } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import type { Scope } from "./scope.ts";

/** Names that would shadow what tells projects apart, or read as literals. */
const RESERVED_ALIASES = new Set(["team_id", "true", "false", "null"]);

/** One column of SELECT; `printed` identifies the expression. */
export interface Item {
  name: string;
  isAlias: boolean;
  value: Value;
  /** Null for a column of `*`. */
  node: Expression | null;
  printed: string;
}

/** Makes a name stand for an expression. Errors: HogqlError for a name that cannot, or that already does. */
export function addAlias(alias: string, value: Value, node: Expression, scope: Scope, at: Expression): void {
  if (RESERVED_ALIASES.has(alias.toLowerCase())) throw errorAt(at, `Alias "${alias}" is a reserved keyword.`);
  if (scope.aliases.has(alias)) throw errorAt(at, `Cannot redefine an alias with the name: ${alias}`);
  scope.aliases.set(alias, { value, node });
}

/** One entry of SELECT: a column, or those of `*`. */
export function compileItem(node: Expression, scope: Scope): Item[] {
  if (node.node === "Field" && node.chain.at(-1) === "*") return starItems(node.chain, scope, node);
  if (node.node !== "Alias") {
    const value = compileColumn(node, scope);
    const printed = printExpression(node);
    const shown = node.node === "Field" ? String(node.chain.at(-1)) : printed;
    return [{ name: shown, isAlias: false, value, node, printed }];
  }
  const { alias } = node;
  if (scope.aliases.has(alias)) throw errorAt(node, `Cannot redefine an alias with the name: ${alias}`);
  const key = scope.keys.find(node.expr, scope);
  const value = compileColumn(node.expr, scope);
  addAlias(alias, value, node.expr, scope, node);
  if (key !== null) scope.keys.name(alias, key);
  return [{ name: alias, isAlias: true, value, node: node.expr, printed: printExpression(node.expr) }];
}

/** A key of GROUP BY with all that is known of it: its alias may stand under an aggregate. */
const compileColumn = (node: Expression, scope: Scope): Value =>
  scope.keys.find(node, scope)?.value(scope) ?? compileExpression(node, scope);

function starItems(chain: readonly (string | number)[], scope: Scope, node: Expression): Item[] {
  const sources = chain.length === 1 ? scope.sources : scope.named(String(chain[0]));
  if (sources.length === 0) throw errorAt(node, "Cannot use '*' when there are no tables in the query");
  if (sources.length > 1)
    throw errorAt(node, "Cannot use '*' without table name when there are multiple tables in the query");
  return sources.flatMap((source) =>
    source.star().map((column) => ({ ...column, isAlias: false, node: null, printed: printName(column.name) })),
  );
}

/** The column of SELECT that a key names: by its place, its alias, or as the same expression. */
export function columnOf(node: Expression, items: readonly Item[]): number | null {
  if (node.node === "Constant" && isWhole(node.value)) {
    if (items[node.value - 1] === undefined) throw errorAt(node, `There is no column ${node.value} in SELECT.`);
    return node.value - 1;
  }
  const printed = printExpression(node);
  const isAlias = (item: Item): boolean =>
    node.node === "Field" && node.chain.length === 1 && item.isAlias && item.name === node.chain[0];
  const named = items.findIndex(isAlias);
  const index = named < 0 ? items.findIndex((item) => item.printed === printed) : named;
  return index < 0 ? null : index;
}

/** NULL and NaN come last in either direction, as in ClickHouse. */
export function orderSql(order: Order, by: Value): Sql {
  return nullsLast(order, isNaNFirst(order, by) ? sql`nullif(${by.sql}, 'NaN'::DOUBLE)` : by.sql);
}

export const nullsLast = ({ order }: Order, by: Sql): Sql =>
  sql`${by} ${order === "DESC" ? sql`DESC` : sql`ASC`} NULLS LAST`;

/** Whether the engine, to which NaN is more than all numbers, begins with it. What is random is never NaN. */
export const isNaNFirst = (order: Order, by: Value): boolean =>
  order.order === "DESC" && mayBeNaN(by) && by.isRandom !== true;
