import { HogqlError } from "../errors.ts";
import { join, name, type Sql, sql } from "../sql.ts";
import type { Compilation, Named } from "./scope.ts";
import { compileSelect } from "./select.ts";
import type { OutputColumn } from "./source.ts";
import type { Query, Select, SelectSet } from "./tree.ts";

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

export type Ctes = ReadonlyMap<string, Named>;

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

/** A query behind its WITH. */
export function withDefinitions(definitions: readonly Sql[], body: Sql): Sql {
  return definitions.length === 0 ? body : sql`WITH ${join(definitions, ", ")} ${body}`;
}

/** The names of WITH, added to those around it, and their definitions. */
export function compileCtes(node: Select, compilation: Compilation, outer: Ctes): { named: Ctes; definitions: Sql[] } {
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
