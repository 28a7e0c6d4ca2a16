import { BigNumber } from "../../charts/bigNumber.tsx";
import { RankBars } from "../../charts/rankBars.tsx";
import { later } from "../../ui/later.tsx";
import type { ChartProps } from "../kind.ts";
import { type Calendar, calendarOf } from "./calendar.ts";
import { displayOf } from "./displays.ts";
import { cellDrillOf, drillOf } from "./drill.ts";
import { codeOf, type Line, linesOf } from "./lines.ts";
import { valuesOf } from "./parts.ts";
import { TimeLines } from "./timeLines.tsx";
import type { TrendsNode } from "./types.ts";
import { formatsOf } from "./valueFormat.ts";
import { ValueTable } from "./valueTable.tsx";

const CalendarHeat = later(() => import("../../charts/calendarHeat.tsx").then((file) => file.CalendarHeat));
const WorldMap = later(() => import("../../charts/worldMap.tsx").then((file) => file.WorldMap));
const Pie = later(() => import("../../charts/pie.tsx").then((file) => file.Pie));

/** A trend in the form that its node names. */
export function TrendsChart(props: ChartProps<TrendsNode>) {
  const { node, answer, onDrill } = props;
  const display = displayOf(node);
  const lines = linesOf(node, answer);
  const hasDays = lines.some(({ item }) => item.data.length > 0);
  const calendar = calendarOf(lines[0]?.item);
  if (display.name === "CalendarHeatmap" && calendar !== null) {
    return <CalendarChart {...props} line={lines[0]!} calendar={calendar} />;
  }
  if (display.of === "time" && hasDays) return <TimeLines {...props} lines={lines} />;
  const pick = onDrill && ((line: Line | undefined) => line && onDrill(drillOf(node, line, null, answer.timezone)));
  return <WholeChart {...props} lines={lines} onPickLine={pick} />;
}

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
      return <Pie parts={values} format={format} onPick={pick} />;
    case "ActionsTable":
      return <ValueTable values={values} format={format} onPickLine={onPickLine} />;
    case "WorldMap":
      return (
        <WorldMap
          countries={values.map(({ line, value }) => ({ code: codeOf(line.item.breakdown_value), value }))}
          format={format}
          onPick={pick}
        />
      );
    case "ActionsBarValue":
      return <RankBars parts={values} format={format} onPick={pick} />;
  }
  if (values.length > 1) return <RankBars parts={values} format={format} onPick={pick} />;
  const [only] = values;
  if (only === undefined) return null;
  const { value, previous, label } = only;
  return <BigNumber value={value} previous={previous} format={format} label={label} onPick={pick && (() => pick(0))} />;
}

interface CalendarProps extends ChartProps<TrendsNode> {
  line: Line;
  calendar: Calendar;
}

function CalendarChart({ node, line, calendar, onDrill }: CalendarProps) {
  return (
    <CalendarHeat
      {...calendar}
      format={formatsOf(node).format}
      onPick={onDrill && ((row, column) => onDrill(cellDrillOf(node, line, calendar, row, column)))}
    />
  );
}
