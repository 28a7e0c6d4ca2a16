import type { RowColumns } from "./rowColumns.ts";

/** Sorts rows from `from` to below `to` by time, with `isByValue` by value and time; equal ones stay as they are. `run`: one more column. */
export function sortRows(rows: RowColumns, run: Uint32Array | null, from: number, to: number): void {
  const { us, steps, excluded, value } = rows;
  const { isByValue, hasExcluded, hasValue } = rows.fields;
  const compare = isByValue
    ? (a: number, b: number) => value[a]! - value[b]! || us[a]! - us[b]!
    : (a: number, b: number) => us[a]! - us[b]!;
  if (areInOrder(compare, from, to)) return;
  const order = new Uint32Array(to - from);
  for (let i = 0; i < order.length; i++) order[i] = from + i;
  order.sort(compare);
  const columns = [
    us,
    steps,
    ...(hasExcluded ? [excluded] : []),
    ...(hasValue ? [value] : []),
    ...(run === null ? [] : [run]),
  ];
  for (const column of columns) {
    const before = column.slice(from, to);
    for (let i = 0; i < order.length; i++) column[from + i] = before[order[i]! - from]!;
  }
}

function areInOrder(compare: (a: number, b: number) => number, from: number, to: number): boolean {
  for (let row = from + 1; row < to; row++) if (compare(row - 1, row) > 0) return false;
  return true;
}
