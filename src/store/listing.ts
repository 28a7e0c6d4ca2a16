import { only } from "../types/mod.ts";
import type { Query, Stored, Tx } from "./db.ts";

/** A slice of a list. */
export interface Page {
  limit: number;
  offset: number;
}

/** A slice of a list in the order of a column. */
export interface ListPage extends Page {
  column: string;
  descending: boolean;
}

/** One page of a list, and the number of items in all pages. */
export interface Listed<Item> {
  count: number;
  items: Item[];
}

/** A condition or another part of a statement, with its values bound. */
export type Fragment = Query;

/** The condition that holds where all of these do; at least one. */
export function allOf(tx: Tx, conditions: readonly Fragment[]): Fragment {
  return conditions.reduce((all, one) => tx`${all} and ${one}`);
}

/** One page of the rows of a table that meet a condition. */
export async function selectPage<Row, Item>(
  tx: Tx,
  { table, where, order, read }: { table: string; where: Fragment; order: Fragment; read: (row: Row) => Item },
  page: Page,
): Promise<Listed<Item>> {
  const total: { n: Stored }[] = await tx`select count(*) as n from ${tx(table)} where ${where}`;
  const rows: Row[] = await tx`
    select * from ${tx(table)} where ${where} order by ${order} limit ${page.limit} offset ${page.offset}`;
  return { count: Number(only(total).n), items: rows.map(read) };
}

/** What an order has beside its column. */
export interface Order {
  /** What comes before it. */
  first?: Fragment;
  /** In place of the column, where the table has none of that name. */
  by?: Fragment;
  /** How rows of equal values follow each other; by `id` where absent. */
  ties?: Fragment;
}

/** The order by a column; rows without a value come last. */
export function orderOf(tx: Tx, { column, descending }: ListPage, { first, by, ties }: Order = {}): Fragment {
  const direction = descending ? tx`desc` : tx`asc`;
  const value = by ?? tx`${tx(column)}`;
  return tx`${first === undefined ? tx`` : tx`${first}, `}(${value} is null), ${value} ${direction},
    ${ties ?? tx`id ${direction}`}`;
}

/** The text that a search reads. Lower-cased here because SQLite folds ASCII only. */
export function searchTextOf(texts: readonly (string | null)[]): string {
  return texts
    .filter((text) => text !== null)
    .join("\n")
    .toLowerCase();
}

/** The condition that the search text contains `part`, in any case. */
export function searchCondition(tx: Tx, part: string): Fragment {
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return tx`search_text like ${pattern} escape '\\'`;
}

/** More are not looked at. */
const WORDS_MAX = 20;

/** The condition that the search text contains each word of `text`, in any order and case. */
export function wordsCondition(tx: Tx, text: string): Fragment {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return allOf(tx, [tx`true`, ...words.slice(0, WORDS_MAX).map((word) => searchCondition(tx, word))]);
}
