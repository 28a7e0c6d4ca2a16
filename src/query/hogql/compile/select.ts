import { errorAt } from "../../shape/errors.ts";
import { allOf, join, name, type Sql, sql } from "../../sql/sql.ts";
import type { Value } from "../../value/types.ts";
import type { Expression, Order, Select } from "../syntax/tree.ts";
import { compileArrayJoin, fromClause } from "./arrayJoin.ts";
import { narrowBounds, narrowPerson } from "./bounds.ts";
import { compileCondition, compileExpression } from "./compile.ts";
import { addExpressions, compileCtes, withDefinitions } from "./ctes.ts";
import { checkGrouped, type Group, groupClause } from "./grouping.ts";
import { GroupKeys } from "./groupKeys.ts";
import { columnOf, compileItem, type Item, isNaNFirst, nullsLast, orderSql } from "./items.ts";
import { compileFrom } from "./joins.ts";
import { limitByCondition, limitClauses, windowOf } from "./limits.ts";
import { type Compilation, type CompiledQuery, type Ctes, type RowWindow, Scope, type TopLimit } from "./scope.ts";

/** Compiles one SELECT. Errors: HogqlError. */
export function compileSelect(
  node: Select,
  compilation: Compilation,
  outer: Ctes,
  top: TopLimit | null,
): CompiledQuery {
  if (node.limit_with_ties) throw errorAt(node, "LIMIT … WITH TIES is not supported.");
  const { named, definitions } = compileCtes(node, compilation, outer);
  const scope = new Scope(compilation, named);
  addExpressions(named, scope);
  for (const [key, window] of Object.entries(node.window_exprs ?? {})) scope.windows.set(key, window);
  const parts = compileParts(node, scope, top);
  const isRolledUp = node.group_by_mode != null && node.group_by_mode !== "all";
  return {
    sql: withDefinitions(definitions, written(node, parts, top?.extra ?? 0)),
    columns: parts.items.map(({ name: shown, value: { type } }) => ({
      name: shown,
      // Rows of totals have NULL for a key.
      type: isRolledUp ? { ...type, nullable: true } : type,
    })),
    window: parts.window,
  };
}

/** The clauses of a SELECT, compiled. */
interface Parts {
  items: Item[];
  /** To be asked for after all else is compiled, since it joins what the fields have asked for. */
  from: () => Sql | null;
  where: Sql[];
  groups: Group[];
  having: Sql[];
  qualify: Sql | null;
  orders: OrderKey[];
  window: RowWindow;
}

/** In the order in which names come to be known: tables, columns of SELECT, all else. */
function compileParts(node: Select, scope: Scope, top: TopLimit | null): Parts {
  const tables = node.select_from == null ? null : compileFrom(node.select_from, scope);
  const arrayJoin = compileArrayJoin(node, scope);
  if (isGrouped(node)) scope.keys = new GroupKeys(node, scope);
  const items = node.select.flatMap((expression) => compileItem(expression, scope));
  const rows = scope.ofRows();
  const where = [node.prewhere, node.where].flatMap((part) => compileRowCondition(part, "WHERE", rows));
  for (const part of [node.prewhere, node.where]) {
    narrowBounds(part, rows);
    narrowPerson(part, rows);
  }
  const groups = compileGroups(node, items, scope);
  scope.groupsMax = () => groupsIn(groups);
  const having = compileRowCondition(node.having, "HAVING", scope);
  const orders = (node.order_by ?? []).map((order) => compileOrder(order, items, scope, node));
  const values = [...items, ...orders].map((part) => part.value);
  if (groups.length > 0 || having.length > 0 || values.some((one) => one.isAggregate)) {
    checkGrouped(node, items, groups, scope);
  }
  const isOfGroups = groups.length > 0 || values.some((one) => one.isAggregate);
  if (!isOfGroups || scope.sources.length > 1 || arrayJoin !== null || scope.unnested.size > 0) scope.readRows();
  const keys = orders.map((order) => orderSql(order.node, order.value));
  const chosen = node.qualify == null ? null : compileCondition(node.qualify, scope).sql;
  return {
    items,
    from: () => fromClause(tables?.() ?? null, arrayJoin, scope),
    where,
    groups,
    having,
    qualify: limitByCondition(node, scope, keys) ?? chosen,
    orders,
    window: windowOf(node, scope, top),
  };
}

function written(
  node: Select,
  { items, from, where, groups, having, qualify, orders, window }: Parts,
  extra: number,
): Sql {
  const columns = items.map((item, i) => sql`${item.value.sql} AS ${name(`c${i}`)}`);
  const [sorted, limits] = [sortedBy(orders, node), limitClauses(window, extra)];
  const behind: (Sql | null)[] = [
    where.length === 0 ? null : sql`WHERE ${allOf(where)}`,
    groups.length === 0 ? null : groupClause(groups, node.group_by_mode ?? "all"),
    having.length === 0 ? null : sql`HAVING ${allOf(having)}`,
    qualify === null ? null : sql`QUALIFY ${qualify}`,
  ];
  const select = sql`SELECT ${node.distinct ? sql`DISTINCT ` : sql``}${join(columns, ", ")}`;
  const said = [select, from(), ...behind].filter((clause) => clause !== null);
  // DISTINCT leaves columns alone to order by.
  const isApart = node.distinct && orders.some((key) => isNaNFirst(key.node, key.value));
  const rows = isApart ? [sql`SELECT * FROM (${join(said, " ")})`] : said;
  return join([...rows, ...sorted, ...limits], " ");
}

function compileRowCondition(node: Expression | null | undefined, clause: "WHERE" | "HAVING", scope: Scope): Sql[] {
  if (node == null) return [];
  const condition = compileCondition(node, scope);
  if (condition.isWindow) throw errorAt(node, `Window functions are not allowed in ${clause}: use QUALIFY.`);
  if (condition.isAggregate && clause === "WHERE") {
    throw errorAt(node, "Aggregate functions are not allowed in WHERE: use HAVING.");
  }
  return [condition.sql];
}

const isGrouped = (node: Select): boolean => node.group_by_mode === "all" || (node.group_by ?? []).length > 0;

function compileGroups(node: Select, items: readonly Item[], scope: Scope): Group[] {
  if (node.group_by_mode !== "all") return (node.group_by ?? []).map((key) => compileGroup(key, items, scope));
  // GROUP BY ALL: by every column that is no aggregate.
  return items.flatMap(({ value, node: own }, index) =>
    value.isAggregate || own === null ? [] : [{ keys: [{ node: own, index, value, hidden: null }], isSet: false }],
  );
}

function compileGroup(
  node: Expression | { node: "GroupingSet"; exprs: Expression[] },
  items: readonly Item[],
  scope: Scope,
): Group {
  if (node.node === "GroupingSet") return { keys: node.exprs.map((key) => compileKey(key, items, scope)), isSet: true };
  return { keys: [compileKey(node, items, scope)], isSet: false };
}

function compileKey(node: Expression, items: readonly Item[], scope: Scope): Group["keys"][number] {
  const index = columnOf(node, items);
  const hidden = index === null ? scope.keys.find(node, scope) : null;
  const value = hidden?.value(scope) ?? (index === null ? compileExpression(node, scope) : items[index]!.value);
  if (value.isAggregate) throw errorAt(node, "Aggregate functions are not allowed in GROUP BY.");
  if (value.isWindow) throw errorAt(node, "Window functions are not allowed in GROUP BY.");
  return { node, index, value, hidden };
}

/** At most so many rows come of GROUP BY. */
function groupsIn(groups: readonly Group[]): number {
  if (groups.some(({ isSet }) => isSet)) return Number.MAX_SAFE_INTEGER;
  return groups
    .flatMap(({ keys }) => keys)
    .reduce((most, { value }) => most * (value.valuesMax?.() ?? Number.MAX_SAFE_INTEGER), 1);
}

interface OrderKey {
  node: Order;
  index: number | null;
  value: Value;
}

function compileOrder(order: Order, items: readonly Item[], scope: Scope, node: Select): OrderKey {
  if (order.with_fill != null) throw errorAt(order, "WITH FILL is not supported.");
  const index = columnOf(order.expr, items);
  if (index !== null) return { node: order, index, value: items[index]!.value };
  if (node.distinct) throw errorAt(order.expr, "With DISTINCT, ORDER BY must name a column of SELECT.");
  return { node: order, index, value: compileExpression(order.expr, scope) };
}

function sortedBy(orders: readonly OrderKey[], { distinct }: Select): Sql[] {
  if (orders.length === 0) return [];
  const keys = orders.map(({ node, index, value }) => {
    // Columns are counted in text: a parameter there would be a constant to order by.
    if (index !== null && !isNaNFirst(node, value)) return nullsLast(node, { parts: [String(index + 1)] });
    return orderSql(node, distinct ? { ...value, sql: name(`c${index}`) } : value);
  });
  return [sql`ORDER BY ${join(keys, ", ")}`];
}
