import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { type Sort, sortRows } from "./sortRows.ts";
import { SpaceRow } from "./spaceRow.tsx";
import { useVirtual } from "./virtual.ts";

export interface Column<R> {
  key: string;
  label: string;
  /** The label is for readers of screens alone, as of a column of buttons. */
  isLabelHidden?: boolean;
  /** Aligned at the right. */
  isNumber?: boolean;
  cell(row: R): ComponentChildren;
  /** By what its head sorts; absent: it does not. Null comes last. */
  sortBy?(row: R): string | number | null;
  /** The least width; columns grow to what is there. */
  widthPx?: number;
}

interface TableProps<R> {
  /** What it lists. Readers of screens get it. */
  label: string;
  columns: readonly Column<R>[];
  /** Undefined while they are on the way. */
  rows: readonly R[] | undefined;
  keyOf(row: R, index: number): string | number;
  /** What is sorted by at first; rows come as they are where absent. */
  sort?: Sort;
  /** Said where there are no rows. */
  nothing?: ComponentChildren;
}

const ROW_PX = 36;
/** Longer tables have only those rows in the page that are in sight. */
const VIRTUAL_FROM = 300;
const LOADING_ROWS = 6;

/** Rows below a head that stays in sight. */
export function Table<R>({ label, columns, rows, keyOf, sort: first, nothing = "Nothing here" }: TableProps<R>) {
  const [sort, setSort] = useState(first);
  const sorted = useMemo(() => sortRows(rows ?? [], columns, sort), [rows, columns, sort]);
  const isVirtual = sorted.length >= VIRTUAL_FROM;
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtual({ count: isVirtual ? sorted.length : 0, scroller, sizePxOf });
  const shown = isVirtual
    ? virtual.rows.map(({ index }) => ({ row: sorted[index]!, index }))
    : sorted.map((row, index) => ({ row, index }));
  const abovePx = isVirtual ? (virtual.rows[0]?.topPx ?? 0) : 0;
  const belowPx = isVirtual ? virtual.totalPx - abovePx - shown.length * ROW_PX : 0;
  const clickHead = (column: Column<R>) =>
    setSort({ column: column.key, isDown: sort?.column === column.key ? !sort.isDown : column.isNumber === true });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard, too
    <section ref={scroller} class={isVirtual ? "table-box long" : "table-box"} aria-label={label} tabIndex={0}>
      <table
        class="table"
        aria-label={label}
        aria-rowcount={isVirtual ? sorted.length + 1 : undefined}
        aria-busy={!rows}
      >
        <thead>
          <tr aria-rowindex={isVirtual ? 1 : undefined}>
            {columns.map((column) => (
              <Head key={column.key} column={column} sort={sort} onClick={() => clickHead(column)} />
            ))}
          </tr>
        </thead>
        <tbody>
          <SpaceRow heightPx={abovePx} />
          {shown.map(({ row, index }) => (
            <tr key={keyOf(row, index)} aria-rowindex={isVirtual ? index + 2 : undefined}>
              {columns.map((column) => (
                <Cell key={column.key} column={column} content={column.cell(row)} />
              ))}
            </tr>
          ))}
          <SpaceRow heightPx={belowPx} />
          {rows === undefined && <LoadingRows columns={columns.length} />}
          {rows?.length === 0 && (
            <tr>
              <td colSpan={columns.length} class="table-nothing">
                {nothing}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

function Cell<R>({ column, content }: { column: Column<R>; content: ComponentChildren }) {
  const isText = typeof content === "string";
  return (
    <td
      class={column.isNumber ? "number" : undefined}
      dir={isText ? "auto" : undefined}
      title={isText ? content : undefined}
    >
      {content}
    </td>
  );
}

interface HeadProps<R> {
  column: Column<R>;
  sort: Sort | undefined;
  onClick(): void;
}

function Head<R>({ column, sort, onClick }: HeadProps<R>) {
  const { label, isLabelHidden, isNumber, sortBy, widthPx } = column;
  const isSorted = sort?.column === column.key;
  const look: Pick<JSX.IntrinsicElements["th"], "class" | "style"> = {
    class: isNumber ? "number" : undefined,
    style: widthPx === undefined ? undefined : { minWidth: `${widthPx}px` },
  };
  if (sortBy === undefined) {
    return (
      <th scope="col" {...look}>
        <span dir="auto" class={isLabelHidden ? "unseen" : undefined}>
          {label}
        </span>
      </th>
    );
  }
  return (
    <th scope="col" {...look} aria-sort={isSorted ? (sort.isDown ? "descending" : "ascending") : undefined}>
      <button type="button" class="table-sort" onClick={onClick}>
        <span dir="auto">{label}</span>
        <span class={isSorted ? "table-arrow on" : "table-arrow"}>
          <Icon name={isSorted && !sort.isDown ? "chevronUp" : "chevronDown"} size={12} />
        </span>
      </button>
    </th>
  );
}

function LoadingRows({ columns }: { columns: number }) {
  return Array.from({ length: LOADING_ROWS }, (_, row) => (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr key={row} aria-hidden="true">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>
          <span class="skeleton line" />
        </td>
      ))}
    </tr>
  ));
}

const sizePxOf = () => ROW_PX;
