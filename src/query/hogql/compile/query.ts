import { HogqlError } from "../../shape/errors.ts";
import { join, name, type Sql, sql } from "../../sql/sql.ts";
import type { OutputColumn } from "../schema/source.ts";
import type { Cte, Query, Select, SelectSet } from "../syntax/tree.ts";
import { placed } from "./expressions.ts";
import { limitClauses, type TopLimit, type Window, windowOf } from "./limits.ts";
import { type Compilation, type Named, Scope } from "./scope.ts";
import { compileSelect } from "./select.ts";

/** A compiled query: its columns are named c0, c1, … in SQL, whatever they are called. */
export interface CompiledQuery {
  sql: Sql;
  columns: OutputColumn[];
  /** What its LIMIT and OFFSET leave; of a set of queries, what is left of all together. */
  window: Window;
}

export type Ctes = ReadonlyMap<string, Named>;

/** Compiles a SELECT or a UNION. Errors: HogqlError. */
export function compileQuery(
  node: Query,
  compilation: Compilation,
  ctes: Ctes,
  top: TopLimit | null = null,
): CompiledQuery {
  return placed(node, () =>
    node.node === "SelectQuery"
      ? compileSelect(node, compilation, ctes, top)
      : compileSet(node, compilation, ctes, top),
  );
}

const JOINTS: Record<string, Sql> = {
  "UNION ALL": sql`UNION ALL`,
  "UNION DISTINCT": sql`UNION`,
  INTERSECT: sql`INTERSECT ALL`,
  "INTERSECT DISTINCT": sql`INTERSECT`,
  EXCEPT: sql`EXCEPT ALL`,
  "EXCEPT DISTINCT": sql`EXCEPT`,
};

/** INTERSECT binds before the others, in the engine as in ClickHouse. */
function compileSet(node: SelectSet, compilation: Compilation, ctes: Ctes, top: TopLimit | null): CompiledQuery {
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
  const pieces = branches.flatMap((branch, i) => {
    const { set_operator: operator } = node.subsequent_select_queries[i - 1] ?? { set_operator: "" };
    const joint = JOINTS[operator];
    if (i > 0 && joint === undefined) throw new HogqlError(`${operator} is not supported.`);
    return joint === undefined ? [sql`(${branch.sql})`] : [joint, sql`(${branch.sql})`];
  });
  const window = windowOf(node, new Scope(compilation, ctes), null);
  const joined = join(pieces, " ");
  const clauses = limitClauses(window, 0);
  const body = clauses.length === 0 ? joined : sql`SELECT * FROM (${joined}) ${join(clauses, " ")}`;
  return { sql: withDefinitions(shared.definitions, body), columns: branches[0]!.columns, window };
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
    definitions.push(sql`${name(sqlName)} AS (${query.sql})`);
    named.set(cte.name, { sqlName, columns: renamed(query.columns, cte.columns) });
  }
  return { named, definitions };
}

const isQueryNode = (node: Cte["expr"]): node is Query => node.node === "SelectQuery" || node.node === "SelectSetQuery";

/** Columns under other names: `AS t(a, b)`. Errors: HogqlError where there are not as many. */
export function renamed(columns: readonly OutputColumn[], names: readonly string[] | null | undefined): OutputColumn[] {
  if (names == null) return [...columns];
  if (names.length !== columns.length) {
    throw new HogqlError(`There are ${columns.length} columns, and names for ${names.length}.`);
  }
  return columns.map((column, i) => ({ ...column, name: names[i]! }));
}
