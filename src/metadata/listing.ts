import type { SQL } from "bun";
import type { Stored, Tx } from "./db.ts";

/** A slice of a list, and the column it is ordered by. */
export interface ListPage {
  limit: number;
  offset: number;
  column: string;
  descending: boolean;
}

/** A condition or another part of a statement, with its values bound. */
export type Fragment = SQL.Query<unknown>;

/** One page of the rows that meet a condition, and how many there are; rows without a value in the column come last. */
export async function selectPage<Row>(
  tx: Tx,
  table: string,
  where: Fragment,
  page: ListPage,
): Promise<{ count: number; rows: Row[] }> {
  const total: { n: Stored }[] = await tx`select count(*) as n from ${tx(table)} where ${where}`;
  const column = tx(page.column);
  const direction = page.descending ? tx`desc` : tx`asc`;
  const rows: Row[] = await tx`
    select * from ${tx(table)} where ${where}
    order by (${column} is null), ${column} ${direction}, id ${direction} limit ${page.limit} offset ${page.offset}`;
  return { count: Number(total[0]!.n), rows };
}

/** What a search looks through. Lower-cased by us because SQLite folds ASCII only. */
export function searchTextOf(texts: readonly (string | null)[]): string {
  return texts
    .filter((text) => text !== null)
    .join("\n")
    .toLowerCase();
}

/** The condition that the search text holds a part in any case. */
export function searchCondition(tx: Tx, part: string): Fragment {
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return tx`search_text like ${pattern} escape '\\'`;
}
