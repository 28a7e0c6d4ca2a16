export interface Sort {
  column: string;
  isDown: boolean;
}

interface Sortable<R> {
  key: string;
  sortBy?(row: R): string | number | null;
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

/** Rows in order of a column; equal ones stay as they were, null comes last in either direction. */
export function sortRows<R>(rows: readonly R[], columns: readonly Sortable<R>[], sort: Sort | undefined): readonly R[] {
  const sortBy = columns.find(({ key }) => key === sort?.column)?.sortBy;
  if (sort === undefined || sortBy === undefined) return rows;
  const sign = sort.isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [sortBy(a), sortBy(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (typeof x === "number" && typeof y === "number" ? x - y : COLLATOR.compare(String(x), String(y)));
  });
}
