import type { Cte, Query } from "../hogql/syntax/tree.ts";

/** The tables that a query names in FROM and JOIN, in their order, each once; names of WITH are none. */
export function tableNames(tree: Query): string[] {
  const [tables, names] = [new Set<string>(), new Set<string>()];
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const { node, name, table } = part as Partial<Omit<Cte, "node">> & { node?: string; table?: unknown };
    if (node === "CTE") names.add(String(name));
    if (node === "JoinExpr") {
      const { node: kind, chain } = (table ?? {}) as { node?: string; chain?: unknown[] };
      if (kind === "Field") tables.add((chain ?? []).join("."));
    }
    for (const member of Object.values(part)) look(member);
  };
  look(tree);
  return [...tables].filter((table) => !names.has(table));
}
