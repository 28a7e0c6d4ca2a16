import { HogqlError } from "../../shape/errors.ts";
import { join, name, type Sql, sql } from "../../sql/sql.ts";
import { renamed } from "../schema/source.ts";
import type { Cte, Query, Select } from "../syntax/tree.ts";
import { compileQuery } from "./compile.ts";
import type { Compilation, Ctes } from "./scope.ts";

/** A query behind its WITH. */
export function withDefinitions(definitions: readonly Sql[], body: Sql): Sql {
  return definitions.length === 0 ? body : sql`WITH ${join(definitions, ", ")} ${body}`;
}

/** The names of WITH, added to those around it, and their definitions. */
export function compileCtes(node: Select, compilation: Compilation, outer: Ctes): { named: Ctes; definitions: Sql[] } {
  const named = new Map(outer);
  const definitions: Sql[] = [];
  for (const cte of node.ctes ?? []) {
    if (cte.recursive) throw new HogqlError(`A recursive WITH (\`${cte.name}\`) is not supported.`);
    if (cte.cte_type === "column") {
      named.set(cte.name, { expression: cte.expr });
      continue;
    }
    if (!isQueryNode(cte.expr)) throw new HogqlError(`WITH \`${cte.name}\` must be a SELECT.`);
    const query = compileQuery(cte.expr, compilation, named);
    const sqlName = `w${compilation.nextAlias()}`;
    const definition = sql`${name(sqlName)} AS (${query.sql})`;
    definitions.push(definition);
    named.set(cte.name, { sqlName, columns: renamed(query.columns, cte.columns), definition });
  }
  return { named, definitions };
}

const isQueryNode = (node: Cte["expr"]): node is Query => node.node === "SelectQuery" || node.node === "SelectSetQuery";
