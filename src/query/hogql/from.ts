import { HogqlError } from "../errors.ts";
import { EVENTS, integer, name, type Sql, sql } from "../sql.ts";
import { compileExpression } from "./expressions.ts";
import { printExpression } from "./print.ts";
import { compileQuery } from "./query.ts";
import { derivedSource, eventsSource, type Source } from "./schema.ts";
import type { Scope } from "./scope.ts";
import { isWhole, type Join } from "./tree.ts";

/** Compiles the table of FROM and adds its fields to the scope. Errors: HogqlError for an unknown table. */
export function compileFrom(from: Join, scope: Scope): Sql {
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
