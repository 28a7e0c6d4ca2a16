import { errorAt, HogqlError } from "../../shape/errors.ts";
import { nearest } from "../../shape/nearest.ts";
import { integer, join, name, type Sql, sql } from "../../sql/sql.ts";
import { unify } from "../../value/unify.ts";
import { derivedSource, renamed, type Source } from "../schema/source.ts";
import { REFUSED_TABLES, storedSource, TABLES } from "../schema/tables.ts";
import { printExpression } from "../syntax/print.ts";
import { isWhole, type Join, type Values } from "../syntax/tree.ts";
import { WALK_FUNNEL } from "../syntax/walkFunnel.ts";
import { compileExpression, compileQuery } from "./compile.ts";
import type { Scope } from "./scope.ts";
import { compileWalk } from "./walks.ts";

/** One table of FROM: a stored one, a subquery, a name of WITH, a table function. Errors: HogqlError for an unknown one. */
export function tableOf(part: Join, scope: Scope): Source {
  const { compilation, ctes } = scope;
  const { table } = part;
  const sqlAlias = `t${compilation.nextAlias()}`;
  if (table == null) throw new HogqlError("FROM needs a table.");
  if (table.node === "SelectQuery" || table.node === "SelectSetQuery") {
    const query = compileQuery(table, compilation, ctes);
    return derivedSource(part.alias ?? "", sqlAlias, sql`(${query.sql})`, renamed(query.columns, part.column_aliases));
  }
  if (table.node === "ValuesQuery") return valuesSource(table, part, sqlAlias, scope);
  if (part.column_aliases != null) throw new HogqlError("Only the columns of a subquery or of VALUES can be named.");
  const tableName = table.node === "Field" ? table.chain.join(".") : printExpression(table);
  const alias = part.alias ?? tableName;
  if (tableName === "numbers") {
    const type = { kind: "int", nullable: false, clickhouse: "UInt64" } as const;
    return derivedSource(alias, sqlAlias, numbers(part, scope), [{ name: "number", type }]);
  }
  if (tableName === WALK_FUNNEL) {
    const { sql: relation, columns } = compileWalk(part, scope);
    return derivedSource(alias, sqlAlias, relation, columns);
  }
  const cte = ctes.get(tableName);
  const named = cte !== undefined && "sqlName" in cte ? cte : null;
  if (named === null && !TABLES.includes(tableName)) {
    const instead = REFUSED_TABLES.get(tableName);
    if (instead !== undefined) throw errorAt(part, `Table \`${tableName}\` is not supported: ${instead}.`);
    const near = nearest(tableName, [...TABLES, "numbers", WALK_FUNNEL, ...ctes.keys()]);
    const hint = near === null ? "" : ` Perhaps you meant \`${near}\`?`;
    throw errorAt(part, `Unknown table \`${tableName}\`.${hint}`);
  }
  if (part.table_args != null) throw errorAt(part, `Table '${tableName}' does not accept arguments`);
  if (named !== null) return derivedSource(alias, sqlAlias, name(named.sqlName), named.columns);
  const { context, bounds } = compilation;
  return storedSource(tableName, { alias, sqlAlias, context, bounds, files: part.files, within: part.within });
}

/** `(VALUES (1, 'a'), (2, 'b')) AS t(x, y)`. */
function valuesSource(table: Values, part: Join, sqlAlias: string, scope: Scope): Source {
  const rows = table.rows.map((row) => row.map((cell) => compileExpression(cell, scope)));
  const [first = []] = rows;
  if (rows.some((row) => row.length !== first.length)) throw new HogqlError("All rows of VALUES must be equally long.");
  const columns = first.map((_, i) =>
    unify(
      rows.map((row) => row[i]!),
      scope.compilation.context,
    ),
  );
  const lines = rows.map(
    (_, r) =>
      sql`(${join(
        columns.map((column) => column.values[r]!.sql),
        ", ",
      )})`,
  );
  const names = columns.map((_, i) => name(`c${i}`));
  const relation = sql`(SELECT * FROM (VALUES ${join(lines, ", ")}) AS v(${join(names, ", ")}))`;
  const named = columns.map(({ type }, i) => ({ name: `c${i + 1}`, type }));
  return derivedSource(part.alias ?? "", sqlAlias, relation, renamed(named, part.column_aliases));
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
