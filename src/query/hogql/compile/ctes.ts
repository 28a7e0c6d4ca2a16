import { HogqlError } from "../../shape/errors.ts";
import { join, name, type Sql, sql } from "../../sql/sql.ts";
import type { Value } from "../../value/types.ts";
import { renamed } from "../schema/source.ts";
import type { Cte, Query, Select } from "../syntax/tree.ts";
import { compileExpression, compileQuery } from "./compile.ts";
import type { Compilation, Ctes, Meaning, Named, NamedExpression, Scope } from "./scope.ts";

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
      named.set(cte.name, { node: cte.expr, before: new Map(named) });
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

/** Names of WITH that stand for expressions are like aliases, of the columns of whoever reads them. */
export function addExpressions(named: Ctes, scope: Scope, known: Map<Named, Meaning> = new Map()): void {
  for (const [key, cte] of named) {
    if (!("before" in cte)) continue;
    const meaning = known.get(cte) ?? readIn(scope, cte, known);
    known.set(cte, meaning);
    scope.aliases.set(key, meaning);
  }
}

/** `WITH expression AS name` beside the tables of a SELECT. It knows the names before it alone, wherever it is read. */
function readIn(scope: Scope, { node, before }: NamedExpression, known: Map<Named, Meaning>): Meaning {
  let compiled: Value | null = null;
  return {
    node,
    get value() {
      if (compiled === null) {
        const own = scope.knowing(before);
        addExpressions(before, own, known);
        compiled = compileExpression(node, own);
      }
      return compiled;
    },
  };
}

const isQueryNode = (node: Cte["expr"]): node is Query => node.node === "SelectQuery" || node.node === "SelectSetQuery";
