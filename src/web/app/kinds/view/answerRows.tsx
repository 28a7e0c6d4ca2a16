import { useState } from "preact/hooks";
import { formatNumber } from "../../format/number.ts";
import { Button } from "../../ui/button.tsx";
import type { AnswerTable, RowMark } from "../table.ts";

interface AnswerRowsProps {
  table: AnswerTable;
  /** Where rows are lines of the chart: their colours, and whether they are drawn. */
  marks?: readonly RowMark[];
  onShow?(row: number, isShown: boolean): void;
}

const FIRST_ROWS = 50;
const MORE_ROWS = 200;
type Order = { column: number; isDown: boolean } | null;

/** The numbers of an answer as a table: the form of a chart that everyone can read. Orders by any column. */
export function AnswerRows({ table, marks, onShow }: AnswerRowsProps) {
  const [order, setOrder] = useState<Order>(null);
  const [limit, setLimit] = useState(FIRST_ROWS);
  const rows = orderOf(table, order);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="table-scroll" aria-label="Table of the numbers" tabIndex={0}>
      <table class="numbers-table">
        <Head table={table} order={order} onOrder={setOrder} />
        <tbody>
          {rows.slice(0, limit).map((row) => (
            <tr key={row} class={marks?.[row]?.isShown === false ? "hidden-line" : undefined}>
              {(table.rows[row] ?? []).map((cell, column) => (
                <Cell
                  key={column}
                  cell={cell}
                  isNumber={table.columns[column]?.isNumber ?? false}
                  isHead={column === 0}
                  mark={column === 0 ? marks?.[row] : undefined}
                  onShow={onShow && ((isShown) => onShow(row, isShown))}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit && (
        <Button look="quiet" onClick={() => setLimit(limit + MORE_ROWS)}>
          Show more of {formatNumber(rows.length)} rows
        </Button>
      )}
    </section>
  );
}

interface HeadProps {
  table: AnswerTable;
  order: Order;
  onOrder(order: Order): void;
}

function Head({ table, order, onOrder }: HeadProps) {
  const turn = (column: number, isNumber: boolean): Order => {
    if (order?.column !== column) return { column, isDown: isNumber };
    return order.isDown === isNumber ? { column, isDown: !isNumber } : null;
  };
  return (
    <thead>
      <tr>
        {table.columns.map(({ label, isNumber }, column) => {
          const state = order?.column === column ? (order.isDown ? "descending" : "ascending") : undefined;
          return (
            <th key={column} scope="col" class={isNumber ? "number" : undefined} aria-sort={state}>
              <button type="button" dir="auto" onClick={() => onOrder(turn(column, isNumber))}>
                {label}
                <span aria-hidden="true">{state === undefined ? "" : state === "ascending" ? " ↑" : " ↓"}</span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface CellProps {
  cell: string | number | null;
  isNumber: boolean;
  isHead: boolean;
  mark: RowMark | undefined;
  onShow?(isShown: boolean): void;
}

function Cell({ cell, isNumber, isHead, mark, onShow }: CellProps) {
  const text = cell === null ? "" : typeof cell === "number" ? formatNumber(cell) : cell;
  if (!isHead) {
    return (
      <td
        class={isNumber ? "number" : undefined}
        dir={isNumber ? undefined : "auto"}
        title={isNumber ? undefined : text}
      >
        {text}
      </td>
    );
  }
  return (
    <th scope="row" class={isNumber ? "number" : undefined}>
      {mark === undefined ? (
        <span class="cut" dir="auto" title={text}>
          {text}
        </span>
      ) : (
        <label class="line-mark" title={text}>
          <input
            type="checkbox"
            checked={mark.isShown}
            disabled={onShow === undefined}
            aria-label={`Show ${text}`}
            style={{ accentColor: `var(--series-${(mark.color % 8) + 1})` }}
            onChange={(event) => onShow?.(event.currentTarget.checked)}
          />
          <span class="cut" dir="auto">
            {text}
          </span>
        </label>
      )}
    </th>
  );
}

/** The numbers of the rows in the order that is asked for; nothing comes last. */
function orderOf({ rows }: AnswerTable, order: Order): readonly number[] {
  const all = rows.map((_, index) => index);
  if (order === null) return all;
  const { column, isDown } = order;
  return all.sort((one, other) => {
    const a = rows[one]?.[column] ?? null;
    const b = rows[other]?.[column] ?? null;
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const by = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return isDown ? -by : by;
  });
}
