import { HogqlError } from "../../shape/errors.ts";
import type { Cte, Query } from "./tree.ts";

/** Tables that a query may read once each name of WITH is put where it is used. No query that a person wrote comes near. */
const MAX_READS = 1_000;

/**
 * Refuses a query whose names of WITH multiply: forty that each read the one before twice are a trillion reads, and planning
 * them takes all memory before the first row. Errors: HogqlError.
 */
export function checkGrowth(tree: Query): void {
  readsOf(tree, new Map());
}

/** The tables that a part of a tree reads; `known`: those of the names of WITH around it. */
function readsOf(node: unknown, known: ReadonlyMap<string, number>): number {
  if (Array.isArray(node)) return limited(node.reduce<number>((sum, one) => sum + readsOf(one, known), 0));
  if (typeof node !== "object" || node === null) return 0;
  const { ctes, ...rest } = node as Record<string, unknown>;
  const names = Array.isArray(ctes) ? withNames(ctes as Cte[], known) : known;
  // The names of a set of queries stand in its first one.
  const first = rest.initial_select_query as { ctes?: Cte[] | null } | undefined;
  const inside = first?.ctes == null ? names : withNames(first.ctes, names);
  const own = rest.node === "JoinExpr" || rest.node === "CompareOperation" ? named(rest, inside) : 0;
  return limited(Object.values(rest).reduce<number>((sum, member) => sum + readsOf(member, inside), own));
}

function withNames(ctes: readonly Cte[], outer: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const known = new Map(outer);
  for (const { name, expr } of ctes) known.set(name, Math.max(1, readsOf(expr, known)));
  return known;
}

/** The reads of the table that stands in FROM, or behind IN. */
function named({ table, right }: Record<string, unknown>, known: ReadonlyMap<string, number>): number {
  const { node, chain } = (table ?? right ?? {}) as { node?: string; chain?: unknown[] };
  if (node !== "Field" || chain === undefined) return 0;
  const reads = chain.length === 1 ? known.get(String(chain[0])) : undefined;
  return reads ?? (table === undefined ? 0 : 1);
}

function limited(reads: number): number {
  if (reads <= MAX_READS) return reads;
  throw new HogqlError(`The query reads more than ${MAX_READS} tables, names of WITH put in their places.`);
}
