import { HogqlError } from "../errors.ts";
import { EVENTS, integer, join, name, type Sql, sql } from "../sql.ts";
import { timeBounds } from "./bounds.ts";
import { compileCondition, compileExpression } from "./expressions.ts";
import { checkGrouped } from "./grouping.ts";
import { printExpression, printName } from "./print.ts";
import { derivedSource, eventsSource, type OutputColumn, type Source } from "./schema.ts";
import { type Compilation, type Named, Scope } from "./scope.ts";
import type { Expression, Join, Order, Query, Select, SelectSet } from "./tree.ts";
import type { Value } from "./types.ts";

/** A compiled query: its columns are named c0, c1, … in SQL, whatever they are called. */
export interface CompiledQuery {
  sql: Sql;
  columns: OutputColumn[];
}

/** How many rows a SELECT of the top gives: what it asks for, at most `max`; `extra` more tell whether there are more. */
export interface TopLimit {
  fallback: number;
  max: number;
  extra: number;
}

type Ctes = ReadonlyMap<string, Named>;

/** Names that would shadow what tells projects apart, or read as literals. */
const RESERVED_ALIASES = new Set(["team_id", "true", "false", "null"]);

/** Compiles a SELECT or a UNION. Errors: HogqlError. */
export function compileQuery(
  node: Query,
  compilation: Compilation,
  ctes: Ctes,
  top: TopLimit | null = null,
): CompiledQuery {
  return node.node === "SelectQuery"
    ? compileSelect(node, compilation, ctes, top)
    : compileSet(node, compilation, ctes, top);
}

function compileSet(node: SelectSet, compilation: Compilation, ctes: Ctes, top: TopLimit | null): CompiledQuery {
  const operators = new Set(node.subsequent_select_queries.map((next) => next.set_operator));
  const [operator = ""] = operators;
  const joint = {
    "UNION ALL": sql` UNION ALL `,
    "UNION DISTINCT": sql` UNION `,
    INTERSECT: sql` INTERSECT `,
    EXCEPT: sql` EXCEPT `,
  }[operator];
  if (operators.size > 1 || joint === undefined) {
    throw new HogqlError(`Mixing ${[...operators].join(" and ")} in one query is not supported yet.`);
  }
  if (node.limit != null || node.offset != null) throw new HogqlError("LIMIT of a whole UNION is not supported yet.");
  const first = node.initial_select_query;
  // WITH of the first branch holds for all.
  const shared =
    first.node === "SelectQuery" ? compileCtes(first, compilation, ctes) : { named: ctes, definitions: [] };
  const branches = [first, ...node.subsequent_select_queries.map((next) => next.select_query)].map((branch) =>
    compileQuery(
      branch.node === "SelectQuery" && branch === first ? { ...branch, ctes: null } : branch,
      compilation,
      shared.named,
      top && { ...top, extra: 0 },
    ),
  );
  checkBranches(branches);
  const pieces = branches.flatMap((branch, i) => (i === 0 ? [sql`(${branch.sql})`] : [joint, sql`(${branch.sql})`]));
  const body = { parts: pieces };
  return { sql: withDefinitions(shared.definitions, body), columns: branches[0]!.columns };
}

function checkBranches(branches: readonly CompiledQuery[]): void {
  const [first, ...rest] = branches;
  for (const branch of rest) {
    if (branch.columns.length !== first!.columns.length) {
      throw new HogqlError("All parts of a UNION must have the same number of columns.");
    }
    branch.columns.forEach((column, i) => {
      const target = first!.columns[i]!;
      const kinds = new Set([column.type.kind, target.type.kind]);
      kinds.delete("null");
      const areNumbers = [...kinds].every((kind) => kind === "int" || kind === "float");
      if (kinds.size > 1 && !areNumbers)
        throw new HogqlError(`Column ${i + 1} of the UNION has parts of different types.`);
      if (target.type.kind === "null" || column.type.kind === "float") target.type = { ...column.type };
      target.type = { ...target.type, nullable: target.type.nullable || column.type.nullable };
    });
  }
}

function withDefinitions(definitions: readonly Sql[], body: Sql): Sql {
  return definitions.length === 0 ? body : sql`WITH ${join(definitions, ", ")} ${body}`;
}

function compileCtes(node: Select, compilation: Compilation, outer: Ctes): { named: Ctes; definitions: Sql[] } {
  const named = new Map(outer);
  const definitions: Sql[] = [];
  for (const cte of node.ctes ?? []) {
    if (cte.recursive || cte.columns != null)
      throw new HogqlError(`This form of WITH \`${cte.name}\` is not supported yet.`);
    if (cte.cte_type === "column") {
      named.set(cte.name, { expression: cte.expr });
      continue;
    }
    const query = compileQuery(cte.expr as Query, compilation, named);
    const sqlName = `w${compilation.nextAlias()}`;
    definitions.push(sql`${name(sqlName)} AS (${query.sql})`);
    named.set(cte.name, { sqlName, columns: query.columns });
  }
  return { named, definitions };
}

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
    [node.select_from?.next_join, "JOIN"],
    [node.select_from?.sample, "SAMPLE"],
    [node.select_from?.table_final, "FINAL"],
    [node.select_from?.column_aliases, "Naming the columns of a table"],
  ];
  const found = clauses.find(([value]) => isPresent(value));
  if (found) throw new HogqlError(`${found[1]} is not supported yet.`, node.start?.offset, node.end?.offset);
}

/** One column of SELECT; `printed` identifies the expression. */
interface Item {
  name: string;
  value: Value;
  node: Expression | null;
  printed: string | null;
}

function compileSelect(node: Select, compilation: Compilation, outer: Ctes, top: TopLimit | null): CompiledQuery {
  refuseUnsupported(node);
  const { named, definitions } = compileCtes(node, compilation, outer);
  const scope = new Scope(compilation, named);
  for (const [key, cte] of named) {
    if ("expression" in cte)
      scope.aliases.set(key, {
        value: compileExpression(cte.expression, new Scope(compilation, outer)),
        node: cte.expression,
      });
  }
  const firstBound = compilation.bounds.length;
  const from = node.select_from == null ? null : compileFrom(node.select_from, scope);
  const items = node.select.flatMap((expression) => compileItem(expression, scope));
  const where = node.where == null ? null : compileCondition(node.where, scope);
  if (where?.isAggregate)
    throw new HogqlError(
      "Aggregate functions are not allowed in WHERE: use HAVING.",
      node.where!.start?.offset,
      node.where!.end?.offset,
    );
  // The first bound that FROM added is that of this SELECT's own table of events.
  if (scope.sources[0]?.table === "events") compilation.bounds[firstBound] = timeBounds(node.where, scope);

  const groups = (node.group_by ?? []).map((expression) => position(expression, items) ?? expression);
  const having = node.having == null ? null : compileCondition(node.having, scope);
  const orders = (node.order_by ?? []).map((order) => compileOrder(order, items, scope, node));
  const isGrouped =
    groups.length > 0 ||
    having !== null ||
    [...items.map((item) => item.value), ...orders.map((order) => order.value)].some((value) => value?.isAggregate);
  if (isGrouped)
    checkGrouped(
      node,
      items,
      groups.map((group) => ("printed" in group ? group : null)),
      scope,
    );

  const selected = items.map((item, i) => sql`${item.value.sql} AS ${name(`c${i}`)}`);
  const clauses: Sql[] = [sql`SELECT ${node.distinct ? sql`DISTINCT ` : sql``}${join(selected, ", ")}`];
  if (from !== null) clauses.push(sql`FROM ${from}`);
  if (where !== null) clauses.push(sql`WHERE ${where.sql}`);
  if (groups.length > 0)
    clauses.push(
      sql`GROUP BY ${join(
        groups.map((group) => groupSql(group, items, scope)),
        ", ",
      )}`,
    );
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

function compileItem(node: Expression, scope: Scope): Item[] {
  if (node.node === "Field" && node.chain.at(-1) === "*") return starItems(node.chain, scope, node);
  if (node.node !== "Alias") {
    const value = compileExpression(node, scope);
    const printed = printExpression(node);
    const shown = node.node === "Field" ? String(node.chain.at(-1)) : printed;
    return [{ name: shown, value, node, printed }];
  }
  const { alias } = node;
  const at = [node.start?.offset ?? null, node.end?.offset ?? null] as const;
  if (RESERVED_ALIASES.has(alias.toLowerCase())) throw new HogqlError(`Alias "${alias}" is a reserved keyword.`, ...at);
  if (scope.aliases.has(alias)) throw new HogqlError(`Cannot redefine an alias with the name: ${alias}`, ...at);
  const value = compileExpression(node.expr, scope);
  scope.aliases.set(alias, { value, node: node.expr });
  return [{ name: alias, value, node: node.expr, printed: printExpression(node.expr) }];
}

function starItems(chain: readonly (string | number)[], scope: Scope, node: Expression): Item[] {
  const sources =
    chain.length === 1
      ? scope.sources
      : scope.sources.filter((source) => source.alias === chain[0] || source.table === chain[0]);
  if (sources.length === 0) throw new HogqlError("Cannot use * without FROM.", node.start?.offset, node.end?.offset);
  return sources.flatMap((source) =>
    source.star().map((column) => ({ ...column, node: null, printed: printName(column.name) })),
  );
}

function compileFrom(from: Join, scope: Scope): Sql {
  const { compilation, ctes } = scope;
  const { table } = from;
  const sqlAlias = `t${compilation.nextAlias()}`;
  const add = (relation: Sql, source: Source): Sql => {
    scope.sources.push(source);
    return sql`${relation} AS ${name(sqlAlias)}`;
  };
  if (table == null) throw new HogqlError("FROM needs a table.");
  if (table.node === "SelectQuery" || table.node === "SelectSetQuery") {
    const query = compileQuery(table, compilation, ctes);
    return add(sql`(${query.sql})`, derivedSource(from.alias ?? "", sqlAlias, query.columns));
  }
  const tableName = table.node === "Field" ? table.chain.join(".") : printExpression(table);
  const alias = from.alias ?? tableName;
  const at = [from.start?.offset ?? null, from.end?.offset ?? null] as const;
  if (tableName === "numbers")
    return add(
      numbers(from, scope),
      derivedSource(alias, sqlAlias, [
        { name: "number", type: { kind: "int", nullable: false, clickhouse: "UInt64" } },
      ]),
    );
  const cte = ctes.get(tableName);
  const isKnown = tableName === "events" || (cte !== undefined && "sqlName" in cte);
  if (!isKnown) throw new HogqlError(`Unknown table \`${tableName}\`.`, ...at);
  if (from.table_args != null) throw new HogqlError(`Table '${tableName}' does not accept arguments`, ...at);
  if (cte !== undefined && "sqlName" in cte) return add(name(cte.sqlName), derivedSource(alias, sqlAlias, cte.columns));
  compilation.bounds.push({ fromMs: null, toMs: null });
  return add(EVENTS, eventsSource(alias, sqlAlias, compilation.context.teamId));
}

/** `numbers(count)` or `numbers(start, count)`. */
function numbers(from: Join, scope: Scope): Sql {
  const args = (from.table_args ?? []).map((arg) => compileExpression(arg, scope).constant);
  if (args.length === 0) throw new HogqlError("Table function 'numbers' requires at least 1 argument");
  if (args.length > 2) throw new HogqlError("Table function 'numbers' requires at most 2 arguments");
  const [start, count] = args.length === 1 ? [0, args[0]] : args;
  if (!isWhole(start) || !isWhole(count)) throw new HogqlError("Table function 'numbers' takes whole numbers.");
  return sql`(SELECT range AS c0 FROM range(${integer(start)}, ${integer(start + count)}))`;
}

const isWhole = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** The column of SELECT that an expression of GROUP BY or ORDER BY names: by its place, its alias, or as the same expression. */
function position(node: Expression, items: readonly Item[]): (Item & { index: number }) | null {
  let index = -1;
  if (node.node === "Constant" && isWhole(node.value)) {
    index = node.value - 1;
    if (items[index] === undefined)
      throw new HogqlError(`There is no column ${node.value} in SELECT.`, node.start?.offset, node.end?.offset);
  }
  if (index < 0 && node.node === "Field" && node.chain.length === 1)
    index = items.findIndex((item) => item.name === node.chain[0]);
  if (index < 0) {
    const printed = printExpression(node);
    index = items.findIndex((item) => item.printed === printed);
  }
  return index < 0 ? null : { ...items[index]!, index };
}

function groupSql(group: Expression | (Item & { index: number }), items: readonly Item[], scope: Scope): Sql {
  if (!("printed" in group)) {
    const compiled = compileExpression(group, scope);
    if (compiled.isAggregate)
      throw new HogqlError("Aggregate functions are not allowed in GROUP BY.", group.start?.offset, group.end?.offset);
    return compiled.sql;
  }
  if (items[group.index]!.value.isAggregate)
    throw new HogqlError(`Aggregate functions are not allowed in GROUP BY: ${group.name}`);
  return ordinal(group.index);
}

/** Columns are counted in text: a parameter there would be a constant to group by. */
const ordinal = (index: number): Sql => ({ parts: [String(index + 1)] });

function compileOrder(
  order: Order,
  items: readonly Item[],
  scope: Scope,
  node: Select,
): { sql: Sql; value: Value | null } {
  if (order.with_fill != null) throw new HogqlError("WITH FILL is not supported yet.");
  const direction = order.order === "DESC" ? sql`DESC NULLS LAST` : sql`ASC NULLS LAST`;
  const item = position(order.expr, items);
  if (item !== null) return { sql: sql`${ordinal(item.index)} ${direction}`, value: null };
  if (node.distinct)
    throw new HogqlError(
      "With DISTINCT, ORDER BY must name a column of SELECT.",
      order.expr.start?.offset,
      order.expr.end?.offset,
    );
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
  throw new HogqlError(`${clause} must be a whole number.`, node.start?.offset, node.end?.offset);
}
