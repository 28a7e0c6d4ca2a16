import { IMPORT_ID } from "../../types/mod.ts";
import { type ColumnType, LAYOUT_MAX_COLUMNS } from "./columns.ts";
import { VALUE_TYPES } from "./values.ts";

/** Keys that every project's layout begins with. */
const ALWAYS: readonly { key: string; type: ColumnType }[] = [
  "$session_id",
  "$window_id",
  "$group_0",
  "$group_1",
  "$group_2",
  "$group_3",
  "$group_4",
  "$current_url",
  "$pathname",
  "$lib",
].map((key) => ({ key, type: "VARCHAR" }));

/** A key gets a column when this share of the rows of any one event has a value of its type; */
const MIN_SHARE = 0.05;
/** an event with fewer rows than this counts as if it had so many. */
export const MIN_EVENT_ROWS = 100;
export const MAX_KEY_LENGTH = 200;
const TYPES = Object.keys(VALUE_TYPES) as ColumnType[];

/** A key in a sample: rows by the type that could hold its value, and the largest share within an event. */
export interface KeyCount {
  key: string;
  rows: Record<ColumnType, number>;
  share: number;
}

/** A SELECT of `KeyCount`s (the key, rows in order of the types, the share) over a table with `event` and `json`. */
export function countKeys(table: string): string {
  const fits = (type: ColumnType) => `${VALUE_TYPES[type].parse("m.value::varchar")} is not null`;
  return `with source as materialized (select event, json from ${table}),
    totals as (select event, greatest(count(*), ${MIN_EVENT_ROWS}) as total from source group by event),
    found as (select event, unnest(map_entries(try(json_transform(json, '"MAP(VARCHAR, JSON)"')))) as m from source),
    counts as (select event, m.key as key, ${TYPES.map((type) => `count(*) filter (${fits(type)}) as ${type}_rows`).join(", ")}
      from found group by all),
    shares as (select *, greatest(${TYPES.map((type) => `${type}_rows`).join(", ")}) / total as share
      from counts join totals using (event))
    select key, ${TYPES.map((type) => `sum(${type}_rows)::double`).join(", ")}, max(share)::double as share
    from shares group by key having share >= ${MIN_SHARE} order by share desc, key limit ${2 * LAYOUT_MAX_COLUMNS}`;
}

/** A row of `countKeys`. */
export function keyCount([key, ...numbers]: readonly unknown[]): KeyCount {
  const rows = Object.fromEntries(TYPES.map((type, i) => [type, Number(numbers[i])])) as KeyCount["rows"];
  return { key: String(key), rows, share: Number(numbers[TYPES.length]) };
}

/**
 * Whether a key may have a column. PostgreSQL stores no U+0000. The id of an import stays in the text, where its events are found again
 * (`importMark`).
 */
export function mayHaveColumn(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && !key.includes("\0") && key !== IMPORT_ID;
}

/** The columns that a project should have, the most useful first. */
export function chooseColumns(counts: readonly KeyCount[]): { key: string; type: ColumnType }[] {
  const byShare = counts.toSorted((a, b) => b.share - a.share || (a.key < b.key ? -1 : 1));
  const chosen = byShare
    .filter(({ key, share }) => share >= MIN_SHARE && mayHaveColumn(key))
    .map(({ key, rows }) => ({ key, type: commonest(rows) }));
  return [...ALWAYS, ...chosen].slice(0, LAYOUT_MAX_COLUMNS);
}

/** Whole numbers are numbers too: DOUBLE only where it holds more of them. */
export function commonest(rows: KeyCount["rows"]): ColumnType {
  return TYPES.reduce((best, type) => (rows[type] > rows[best] ? type : best));
}
