import type { BigNumber } from "../../charts/bigNumber.tsx";
import type { CalendarHeat } from "../../charts/calendarHeat.tsx";
import type { Pie } from "../../charts/pie.tsx";
import type { RankBars } from "../../charts/rankBars.tsx";
import type { WorldMap } from "../../charts/worldMap.tsx";
import type { ChartProps } from "../kind.ts";
import { later } from "../later.tsx";
import { calendarOf } from "./calendar.ts";
import { displayOf } from "./displays.ts";
import { drillOf } from "./drill.ts";
import { type Line, linesOf } from "./lines.ts";
import { valuesOf } from "./parts.ts";
import { TimeLines } from "./timeLines.tsx";
import type { TrendsNode } from "./types.ts";
import { formatsOf } from "./valueFormat.ts";
import { ValueTable } from "./valueTable.tsx";

type Props<C> = C extends (props: infer P extends object) => unknown ? P : never;
const Number1 = later<Props<typeof BigNumber>>(() =>
  import("../../charts/bigNumber.tsx").then((file) => file.BigNumber),
);
const Heat = later<Props<typeof CalendarHeat>>(() =>
  import("../../charts/calendarHeat.tsx").then((file) => file.CalendarHeat),
);
const Ring = later<Props<typeof Pie>>(() => import("../../charts/pie.tsx").then((file) => file.Pie));
const Bars = later<Props<typeof RankBars>>(() => import("../../charts/rankBars.tsx").then((file) => file.RankBars));
const Countries = later<Props<typeof WorldMap>>(() =>
  import("../../charts/worldMap.tsx").then((file) => file.WorldMap),
);

/** A trend in the form that its node names. */
export function TrendsChart(props: ChartProps<TrendsNode>) {
  const { node, answer, onDrill } = props;
  const display = displayOf(node);
  const lines = linesOf(node, answer);
  const hasDays = lines.some(({ item }) => item.data.length > 0);
  if (display.name === "CalendarHeatmap" && hasDays) return <CalendarChart {...props} line={lines.find(isCurrent)} />;
  // The server has one number for a calendar; tiles show that.
  if (display.of === "time" && hasDays) return <TimeLines {...props} lines={lines} />;
  const pick = onDrill && ((line: Line | undefined) => line && onDrill(drillOf(node, line, null)));
  return <WholeChart {...props} lines={lines} onPickLine={pick} />;
}

const isCurrent = ({ isPrevious }: Line): boolean => !isPrevious;

interface WholeProps extends ChartProps<TrendsNode> {
  lines: readonly Line[];
  onPickLine?(line: Line | undefined): void;
}

function WholeChart({ node, lines, onPickLine }: WholeProps) {
  const values = valuesOf(lines);
  const { format } = formatsOf(node);
  const pick = onPickLine && ((index: number) => onPickLine(values[index]?.line));
  switch (displayOf(node).name) {
    case "ActionsPie":
      return <Ring parts={values} format={format} onPick={pick} />;
    case "ActionsTable":
      return <ValueTable values={values} format={format} onPick={pick} />;
    case "WorldMap":
      return <MapChart values={values} format={format} onPick={pick} />;
    case "ActionsBarValue":
      return <Bars parts={values} format={format} onPick={pick} />;
  }
  if (values.length > 1) return <Bars parts={values} format={format} onPick={pick} />;
  const [only] = values;
  if (only === undefined) return null;
  const { value, previous, label } = only;
  return <Number1 value={value} previous={previous} format={format} label={label} onPick={pick && (() => pick(0))} />;
}

interface MapProps {
  values: ReturnType<typeof valuesOf>;
  format: (value: number) => string;
  onPick?(index: number): void;
}

/** Values without a country stand below the map, so that nothing is missing from the sum. */
function MapChart({ values, format, onPick }: MapProps) {
  const places = values.map((value, index) => ({ ...value, index, code: codeOf(value.line) }));
  const known = places.filter((place) => place.code !== null);
  const others = places.filter((place) => place.code === null);
  return (
    <div class="trend-map">
      <div class="trend-map-chart">
        <Countries
          countries={known.map(({ code, value }) => ({ code: code ?? "", value }))}
          format={format}
          onPick={onPick && ((index) => onPick(known[index]?.index ?? 0))}
        />
      </div>
      {others.length > 0 && (
        <ul class="trend-map-others">
          {others.map(({ key, label, value, index }) => (
            <li key={key}>
              {onPick === undefined ? (
                <span>{`${label}: ${format(value)}`}</span>
              ) : (
                <button type="button" class="link" onClick={() => onPick(index)}>
                  {`${label}: ${format(value)}`}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function codeOf({ item }: Line): string | null {
  const value = [item.breakdown_value].flat()[0];
  return typeof value === "string" && /^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : null;
}

function CalendarChart({ node, line, onDrill }: ChartProps<TrendsNode> & { line: Line | undefined }) {
  if (line === undefined) return null;
  const { columns, rows } = calendarOf(line.item, node.interval);
  const pick = (row: number, column: number) => {
    const index = rows[row]?.cells[column]?.index ?? null;
    if (index !== null) onDrill?.(drillOf(node, line, index));
  };
  return (
    <Heat
      rows={rows.map(({ label, cells }) => ({ label, values: cells.map(({ value }) => value) }))}
      columns={columns}
      format={formatsOf(node).format}
      onPick={onDrill && pick}
    />
  );
}
