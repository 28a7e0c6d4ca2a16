import { isCounted } from "../../walk/mod.ts";
import type { WalkStatement } from "./statement.ts";

const COLUMNS_OF_WALK = /^SELECT (c\d+ AS c\d+(?:, c\d+ AS c\d+)*) FROM (walk\d+)$/;

/**
 * The columns of the only walk of a statement, by their places in its table, where the statement shows these and asks for no more: so nothing is
 * left for DuckDB. Null for any other one.
 */
export function shownColumns(text: string, walks: readonly WalkStatement[]): number[] | null {
  const [walk, ...others] = walks;
  if (walk === undefined || others.length > 0 || !isCounted(walk.program)) return null;
  const [, columns, table] = COLUMNS_OF_WALK.exec(text) ?? [];
  if (columns === undefined || table !== walk.table) return null;
  return columns.split(", ").map((column) => Number.parseInt(column.slice(1), 10));
}
