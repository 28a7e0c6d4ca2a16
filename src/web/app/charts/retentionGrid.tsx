import { useRef } from "preact/hooks";
import { formatNumber, formatPercent } from "../format/number.ts";
import { heatPercent } from "./parts/color.ts";
import { type HoverProps, useHover } from "./parts/hover.ts";
import { ChartPart } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { useScrollStop } from "./parts/scrollStop.ts";
import { textWidth } from "./parts/size.ts";
import { Tip, TipRows } from "./parts/tip.tsx";

export interface RetentionRow {
  label: string;
  /** How many began. */
  size: number;
  /** For each column: how many came back (null: that time has not come), the share, whether the time is not over. */
  cells: readonly { count: number | null; ratio: number | null; isIncomplete: boolean }[];
}

interface RetentionGridProps {
  columns: readonly string[];
  rows: readonly RetentionRow[];
  /** Shows shares or counts. */
  shows: "ratio" | "count";
  /** A row over all, such as the averages. */
  mean?: RetentionRow;
  onPick?(row: number, column: number): void;
}

const NAME_PX = 12.5;
const BESIDE_PX = 12;
const WIDEST_PX = 180;

interface Place {
  row: RetentionRow;
  column: number;
}

/** Cohorts below each other, how many came back beside each other. */
export function RetentionGrid({ columns, rows, shows, mean, onPick }: RetentionGridProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  useScrollStop(root, onPick === undefined);
  const { hover, on } = useHover<Place>();
  if (rows.length === 0) return <p class="chart-empty">Nothing to draw</p>;
  const names = ["Cohort", ...rows.map(({ label }) => label), ...(mean === undefined ? [] : [mean.label])];
  const namesPx = Math.min(
    WIDEST_PX,
    Math.ceil(Math.max(...names.map((name) => textWidth(name, NAME_PX)))) + BESIDE_PX,
  );
  const cellsOf = (row: RetentionRow, at: number, isMean: boolean) =>
    columns.map((name, column) => (
      <td key={name}>
        <Cell
          row={row}
          column={column}
          columnName={name}
          at={`${at},${column}`}
          shows={shows}
          handlers={on({ row, column })}
          onPick={onPick && !isMean ? () => onPick(at, column) : undefined}
        />
      </td>
    ));
  return (
    <figure ref={root} class="retention-grid" aria-label="Retention">
      <table style={{ "--names": `${namesPx}px` }}>
        <thead>
          <tr>
            <th scope="col">Cohort</th>
            <th scope="col">Size</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {mean !== undefined && (
            <tr class="mean">
              <RowHead row={mean} />
              {cellsOf(mean, -1, true)}
            </tr>
          )}
          {rows.map((row, index) => (
            <tr key={`${index} ${row.label}`}>
              <RowHead row={row} />
              {cellsOf(row, index, false)}
            </tr>
          ))}
        </tbody>
      </table>
      {hover !== null && <PlaceTip place={hover.what} column={columns[hover.what.column]!} x={hover.x} y={hover.y} />}
    </figure>
  );
}

function RowHead({ row: { label, size } }: { row: RetentionRow }) {
  return (
    <>
      <th scope="row" title={label}>
        <bdi>{label}</bdi>
      </th>
      <td class="retention-size">{formatNumber(size)}</td>
    </>
  );
}

interface CellProps extends Place {
  columnName: string;
  at: string;
  shows: "ratio" | "count";
  handlers: HoverProps;
  onPick?: () => void;
}

function Cell({ row, column, columnName, at, shows, handlers, onPick }: CellProps) {
  const cell = row.cells[column];
  if (cell === undefined || (cell.count === null && cell.ratio === null)) return null;
  const { count, ratio, isIncomplete } = cell;
  const texts = {
    ratio: ratio === null ? "–" : formatPercent(ratio),
    count: count === null ? "–" : formatNumber(count),
  };
  const words = [
    texts.ratio,
    count === null ? "" : `${texts.count} of ${formatNumber(row.size)}`,
    isIncomplete ? "so far" : "",
  ];
  return (
    <ChartPart
      at={at}
      label={`${row.label}, ${columnName}: ${words.filter((word) => word !== "").join(", ")}`}
      class={isIncomplete ? "heat-cell incomplete" : "heat-cell"}
      style={{ "--heat-share": `${heatPercent(ratio ?? 0, 1)}%` }}
      onPick={onPick && count !== null && count > 0 ? onPick : undefined}
      {...handlers}
    >
      {texts[shows]}
    </ChartPart>
  );
}

function PlaceTip({
  place: { row, column },
  column: name,
  x,
  y,
}: {
  place: Place;
  column: string;
  x: number;
  y: number;
}) {
  const cell = row.cells[column];
  if (cell === undefined) return null;
  const rows = [
    ...(cell.ratio === null ? [] : [{ key: "ratio", label: "Came back", value: formatPercent(cell.ratio) }]),
    ...(cell.count === null
      ? []
      : [{ key: "count", label: "People", value: `${formatNumber(cell.count)} of ${formatNumber(row.size)}` }]),
  ];
  return (
    <Tip x={x} y={y}>
      <TipRows title={`${row.label}, ${name}`} note={cell.isIncomplete ? "so far" : undefined} rows={rows} />
    </Tip>
  );
}
