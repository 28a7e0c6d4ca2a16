import { useRef } from "preact/hooks";
import { formatShort } from "../format/number.ts";
import { heatPercent } from "./parts/color.ts";
import { useHover } from "./parts/hover.ts";
import { ChartPart } from "./parts/part.tsx";
import { useRoving } from "./parts/roving.ts";
import { textWidth, useSize } from "./parts/size.ts";
import { Tip, TipRows } from "./parts/tip.tsx";
import type { Format } from "./parts/types.ts";
import { labelledPlaces } from "./time/ticks.ts";

interface CalendarHeatProps {
  /** A value for each row and column, such as weekdays by hours. */
  rows: readonly { label: string; values: readonly (number | null)[] }[];
  columns: readonly string[];
  format: Format;
  onPick?(row: number, column: number): void;
}

/** A cell narrower than this has no room for its number. */
const NUMBER_PX = 34;
const LABELS_PX = 48;
const NAME_PX = 11;
const NAME_GAP_PX = 6;

/** A grid whose cells are darker where there is more. */
export function CalendarHeat({ rows, columns, format, onPick }: CalendarHeatProps) {
  const root = useRef<HTMLDivElement>(null);
  useRoving(root);
  const size = useSize(root);
  const { hover, on } = useHover<{ row: number; column: number }>();
  const max = Math.max(0, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const cellPx = ((size?.width ?? 0) - LABELS_PX) / Math.max(1, columns.length);
  const named = new Set(
    labelledPlaces(
      columns.map((column) => textWidth(column, NAME_PX)),
      cellPx,
      NAME_GAP_PX,
    ),
  );
  if (rows.length === 0 || columns.length === 0) return <p class="chart-empty">Nothing to draw</p>;
  const shown = hover === null ? undefined : rows[hover.what.row];
  return (
    <div ref={root} class="calendar-heat">
      <table>
        <thead>
          <tr>
            <td />
            {columns.map((column, index) => (
              <th key={column} scope="col">
                <bdi class={named.has(index) ? undefined : "unseen"}>{column}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, values }, row) => (
            <tr key={label}>
              <th scope="row">
                <bdi>{label}</bdi>
              </th>
              {columns.map((name, column) => {
                const value = values[column] ?? null;
                return (
                  <td key={name}>
                    <ChartPart
                      at={`${row},${column}`}
                      label={`${label}, ${name}: ${value === null ? "no value" : format(value)}`}
                      class={value === null ? "heat-cell without" : "heat-cell"}
                      style={{ "--heat-share": `${heatPercent(value ?? 0, max)}%` }}
                      onPick={onPick && value !== null && value !== 0 ? () => onPick(row, column) : undefined}
                      {...on({ row, column })}
                    >
                      {value !== null && cellPx >= NUMBER_PX ? formatShort(value) : ""}
                    </ChartPart>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <HeatScale max={max} format={format} />
      {hover !== null && shown !== undefined && (
        <Tip x={hover.x} y={hover.y}>
          <TipRows
            title={`${shown.label}, ${columns[hover.what.column]}`}
            rows={[{ key: "value", label: "Value", value: valueText(shown.values[hover.what.column] ?? null, format) }]}
          />
        </Tip>
      )}
    </div>
  );
}

const valueText = (value: number | null, format: Format) => (value === null ? "none" : format(value));

/** What the shades mean. */
export function HeatScale({ max, format }: { max: number; format: Format }) {
  if (!(max > 0)) return null;
  return (
    <div class="heat-scale">
      <span>{format(0)}</span>
      <span class="heat-ramp" aria-hidden="true" />
      <span>{format(max)}</span>
    </div>
  );
}
