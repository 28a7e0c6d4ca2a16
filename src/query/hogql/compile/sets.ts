import { HogqlError } from "../../shape/errors.ts";
import { join, type Sql, sql } from "../../sql/sql.ts";
import type { SelectSet } from "../syntax/tree.ts";
import { compileQuery } from "./compile.ts";
import { compileCtes, withDefinitions } from "./ctes.ts";
import { limitClauses, windowOf } from "./limits.ts";
import { type Compilation, type CompiledQuery, type Ctes, Scope, type TopLimit } from "./scope.ts";

const JOINTS: Record<string, Sql> = {
  "UNION ALL": sql`UNION ALL`,
  "UNION DISTINCT": sql`UNION`,
  INTERSECT: sql`INTERSECT ALL`,
  "INTERSECT DISTINCT": sql`INTERSECT`,
  EXCEPT: sql`EXCEPT ALL`,
  "EXCEPT DISTINCT": sql`EXCEPT`,
};

/** Compiles a UNION, EXCEPT or INTERSECT; the last binds before the others, in the engine as in ClickHouse. Errors: HogqlError. */
export function compileSet(node: SelectSet, compilation: Compilation, ctes: Ctes, top: TopLimit | null): CompiledQuery {
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
