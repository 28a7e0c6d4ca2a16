import { HogqlError } from "../errors.ts";
import { integer, join, name, type Sql, sql } from "../sql.ts";
import { narrowBounds } from "./bounds.ts";
import { compileCondition, compileExpression } from "./expressions.ts";
import { checkGrouped } from "./grouping.ts";
import { compileFrom } from "./joins.ts";
import { printExpression, printName } from "./print.ts";
import { type CompiledQuery, type Ctes, compileCtes, type TopLimit, withDefinitions } from "./query.ts";
import { type Compilation, Scope } from "./scope.ts";
import { type Expression, isWhole, type Order, type Select } from "./tree.ts";
import type { Value } from "./types.ts";

/** Names that would shadow what tells projects apart, or read as literals. */
const RESERVED_ALIASES = new Set(["team_id", "true", "false", "null"]);

function refuseUnsupported(node: Select): void {
  const isPresent = (value: unknown): boolean =>
    value != null && value !== false && (typeof value !== "object" || Object.keys(value).length > 0);
  const clauses: [unknown, string][] = [
    [node.array_join_op, "ARRAY JOIN"],
    [node.prewhere, "PREWHERE"],
    [node.qualify, "QUALIFY"],
    [node.window_exprs, "WINDOW"],
    [node.limit_by, "LIMIT BY"],
    [node.limit_with_ties, "LIMIT WITH TIES"],
    [node.group_by_mode, `GROUP BY ${String(node.group_by_mode).toUpperCase()}`],
  ];
  const found = clauses.find(([value]) => isPresent(value));
  if (found) throw errorAt(node, `${found[1]} is not supported yet.`);
}

/** One column of SELECT; `printed` identifies the expression. */
export interface Item {
  name: string;
  isAlias: boolean;
  value: Value;
  /** Null for a column of `*`. */
  node: Expression | null;
  printed: string;
}

/** An expression of GROUP BY or ORDER BY: a column of SELECT by its index, or an expression of its own. */
type Key = { index: number } | { index: null; value: Value };

/** Compiles one SELECT. Errors: HogqlError. */
export function compileSelect(
  node: Select,
  compilation: Compilation,
  outer: Ctes,
  top: TopLimit | null,
): CompiledQuery {
  refuseUnsupported(node);
  const { named, definitions } = compileCtes(node, compilation, outer);
  const scope = new Scope(compilation, named);
  addExpressions(named, outer, scope);
  const from = node.select_from == null ? null : compileFrom(node.select_from, scope);
  const items = node.select.flatMap((expression) => compileItem(expression, scope));
  const where = compileWhere(node, scope);
  narrowBounds(node.where, scope);
  const groups = (node.group_by ?? []).map((expression) => compileGroup(expression, items, scope));
  const having = node.having == null ? null : compileCondition(node.having, scope);
  const orders = (node.order_by ?? []).map((order) => compileOrder(order, items, scope, node));
  const values = [...items.map((item) => item.value), ...orders.map((order) => order.value)];
  if (groups.length > 0 || having !== null || values.some((one) => one?.isAggregate)) {
    checkGrouped(
      node,
      items,
      groups.map((group) => group.index),
      scope,
    );
  }
  const columns = items.map((item, i) => sql`${item.value.sql} AS ${name(`c${i}`)}`);
  const clauses: Sql[] = [sql`SELECT ${node.distinct ? sql`DISTINCT ` : sql``}${join(columns, ", ")}`];
  // Last, since it joins what the fields have asked for.
  if (from !== null) clauses.push(sql`FROM ${from()}`);
  if (where !== null) clauses.push(sql`WHERE ${where.sql}`);
  if (groups.length > 0) clauses.push(sql`GROUP BY ${join(groups.map(keySql), ", ")}`);
  if (having !== null) clauses.push(sql`HAVING ${having.sql}`);
  if (orders.length > 0)
    clauses.push(
      sql`ORDER BY ${join(
        orders.map((order) => order.sql),
        ", ",
      )}`,
    );
  clauses.push(...limitClauses(node, top));
  return {
    sql: withDefinitions(definitions, join(clauses, " ")),
    columns: items.map((item) => ({ name: item.name, type: item.value.type })),
  };
}

/** `WITH expression AS name`: like aliases. */
function addExpressions(named: Ctes, outer: Ctes, scope: Scope): void {
  for (const [key, cte] of named) {
    if (!("expression" in cte)) continue;
    const value = compileExpression(cte.expression, new Scope(scope.compilation, outer));
    scope.aliases.set(key, { value, node: cte.expression });
  }
}

function compileWhere(node: Select, scope: Scope): Value | null {
  if (node.where == null) return null;
  const where = compileCondition(node.where, scope);
  if (where.isAggregate) throw errorAt(node.where, "Aggregate functions are not allowed in WHERE: use HAVING.");
  return where;
}

function errorAt(node: Expression, message: string): HogqlError {
  return new HogqlError(message, node.start?.offset, node.end?.offset);
}

function compileItem(node: Expression, scope: Scope): Item[] {
  if (node.node === "Field" && node.chain.at(-1) === "*") return starItems(node.chain, scope, node);
  if (node.node !== "Alias") {
    const value = compileExpression(node, scope);
    const printed = printExpression(node);
    const shown = node.node === "Field" ? String(node.chain.at(-1)) : printed;
    return [{ name: shown, isAlias: false, value, node, printed }];
  }
  const { alias } = node;
  if (RESERVED_ALIASES.has(alias.toLowerCase())) throw errorAt(node, `Alias "${alias}" is a reserved keyword.`);
  if (scope.aliases.has(alias)) throw errorAt(node, `Cannot redefine an alias with the name: ${alias}`);
  const value = compileExpression(node.expr, scope);
  scope.aliases.set(alias, { value, node: node.expr });
  return [{ name: alias, isAlias: true, value, node: node.expr, printed: printExpression(node.expr) }];
}

function starItems(chain: readonly (string | number)[], scope: Scope, node: Expression): Item[] {
  const sources = chain.length === 1 ? scope.sources : scope.named(String(chain[0]));
  if (sources.length === 0) throw errorAt(node, "Cannot use * without FROM.");
  if (sources.length > 1) throw errorAt(node, "With several tables, * needs a table's name: `events.*`.");
  return sources.flatMap((source) =>
    source.star().map((column) => ({ ...column, isAlias: false, node: null, printed: printName(column.name) })),
  );
}

/** The column of SELECT that a key names: by its place, its alias, or as the same expression. */
function columnOf(node: Expression, items: readonly Item[]): number | null {
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

function compileGroup(node: Expression, items: readonly Item[], scope: Scope): Key {
  const index = columnOf(node, items);
  const value = index === null ? compileExpression(node, scope) : items[index]!.value;
  if (value.isAggregate) throw errorAt(node, "Aggregate functions are not allowed in GROUP BY.");
  return index === null ? { index, value } : { index };
}

/** Columns are counted in text: a parameter there would be a constant to group by. */
const keySql = (key: Key): Sql => (key.index === null ? key.value.sql : { parts: [String(key.index + 1)] });

function compileOrder(
  order: Order,
  items: readonly Item[],
  scope: Scope,
  node: Select,
): { sql: Sql; value: Value | null } {
  if (order.with_fill != null) throw new HogqlError("WITH FILL is not supported yet.");
  const direction = order.order === "DESC" ? sql`DESC NULLS LAST` : sql`ASC NULLS LAST`;
  const index = columnOf(order.expr, items);
  if (index !== null) return { sql: sql`${keySql({ index })} ${direction}`, value: null };
  if (node.distinct) throw errorAt(order.expr, "With DISTINCT, ORDER BY must name a column of SELECT.");
  const value = compileExpression(order.expr, scope);
  return { sql: sql`${value.sql} ${direction}`, value };
}

function limitClauses(node: Select, top: TopLimit | null): Sql[] {
  const asked = wholeOf(node.limit, "LIMIT");
  const offset = wholeOf(node.offset, "OFFSET");
  const limit = top === null ? asked : Math.min(asked ?? top.fallback, top.max) + top.extra;
  const clauses: Sql[] = [];
  if (limit !== null) clauses.push(sql`LIMIT ${integer(limit)}`);
  if (offset !== null) clauses.push(sql`OFFSET ${integer(offset)}`);
  return clauses;
}

/** The number in LIMIT or OFFSET; null when there is none. */
export function wholeOf(node: Expression | null | undefined, clause: string): number | null {
  if (node == null) return null;
  if (node.node === "Constant" && isWhole(node.value)) return node.value;
  throw errorAt(node, `${clause} must be a whole number.`);
}
