import type { SQL } from "bun";
import type { Stored, Tx } from "./db.ts";

/** A slice of a list. */
export interface Page {
  limit: number;
  offset: number;
}

/** And the column it is ordered by. */
export interface ListPage extends Page {
  column: string;
  descending: boolean;
}

/** One page of a list, and how many there are in all. */
export interface Listed<Item> {
  count: number;
  items: Item[];
}

/** A condition or another part of a statement, with its values bound. */
export type Fragment = SQL.Query<unknown>;

/** One page of the rows of a table that meet a condition. */
export async function selectPage<Row, Item>(
  tx: Tx,
  { table, where, order, read }: { table: string; where: Fragment; order: Fragment; read: (row: Row) => Item },
  page: Page,
): Promise<Listed<Item>> {
  const total: { n: Stored }[] = await tx`select count(*) as n from ${tx(table)} where ${where}`;
  const rows: Row[] = await tx`
    select * from ${tx(table)} where ${where} order by ${order} limit ${page.limit} offset ${page.offset}`;
  return { count: Number(total[0]!.n), items: rows.map(read) };
}

/** By a column, or what it is calculated from; rows without a value come last. */
export function orderOf(tx: Tx, { column, descending }: ListPage, by: Fragment = tx`${tx(column)}`): Fragment {
  const direction = descending ? tx`desc` : tx`asc`;
  return tx`(${by} is null), ${by} ${direction}, id ${direction}`;
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
