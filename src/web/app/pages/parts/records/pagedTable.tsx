import type { Paged } from "../../../api/pages.ts";
import { End } from "../../../ui/end.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { type Column, Table } from "../../../ui/table.tsx";

interface PagedTableProps<T> {
  label: string;
  list: Paged<T>;
  columns: readonly Column<T>[];
  keyOf(row: T): string | number;
  /** Where there is no row. */
  nothing: string;
}

/** A list as a table that goes on when its end comes near. While it is loaded anew the rows before stay, paler. */
export function PagedTable<T>({ label, list, columns, keyOf, nothing }: PagedTableProps<T>) {
  const { items, isLoading, error, hasMore, more, again } = list;
  const isEmpty = items.length === 0;
  return (
    <>
      {error !== undefined && <Problem error={error} onRetry={again} />}
      <div class={isLoading && !isEmpty ? "records-list old" : "records-list"}>
        {(error === undefined || !isEmpty) && (
          <Table
            label={label}
            columns={columns}
            rows={isLoading && isEmpty ? undefined : items}
            keyOf={keyOf}
            nothing={nothing}
          />
        )}
        {hasMore && !isLoading && <End key={items.length} onSeen={more} />}
      </div>
    </>
  );
}
