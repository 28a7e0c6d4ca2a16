import { TimeChart } from "../../charts/timeChart.tsx";
import type { Point, Series } from "../../charts/types.ts";
import { breakdownName } from "../../format/name.ts";
import { formatNumber, formatPercent, formatShort } from "../../format/number.ts";
import type { ChartProps } from "../kind.ts";
import { type Cell, type Cohort, type RetentionTable, tablesOf } from "./answer.ts";
import { cellDrill } from "./drill.ts";
import { cohortLabels } from "./labels.ts";
import type { RetentionNode } from "./node.ts";

/** More lines than these cannot be told apart. */
const MAX_LINES = 9;

/** A line for the average and for each cohort, some of them where there are many; with a breakdown the averages of each value. */
export function RetentionLines({ node, answer, onDrill }: ChartProps<RetentionNode>) {
  const tables = tablesOf(node, answer);
  const [only, ...others] = tables;
  if (only === undefined) return null;
  const isSummed = (node.retentionFilter.aggregationType ?? "count") !== "count";
  if (others.length > 0 || only.value !== null) return <Means tables={tables} />;
  const labels = cohortLabels(node, answer, only.cohorts);
  const shown = spread(only.cohorts.filter(({ size }) => size > 0));
  const hasMean = !isSummed && node.retentionFilter.meanRetentionCalculation !== "none";
  const mean: Series = { key: "average", label: "Average", color: 0, values: only.mean };
  const series = shown.map(
    ({ index, cells }, i): Series => ({
      key: String(index),
      label: labels[index]!,
      color: i + 1,
      values: cells.map((cell) => (isSummed ? cell.shown : cell.ratio)),
      incomplete: openCells(cells),
    }),
  );
  const pick = ({ series: line, index: column }: Point) => {
    const cohort = shown[hasMean ? line - 1 : line];
    if (cohort?.cells[column]?.people == null) return;
    onDrill?.(cellDrill(node, only, cohort, column, labels[cohort.index]!));
  };
  return (
    <TimeChart
      axis={only.columns}
      series={hasMean ? [mean, ...series] : series}
      look="line"
      format={isSummed ? formatNumber : formatPercent}
      formatShort={isSummed ? formatShort : formatPercent}
      onPick={onDrill && pick}
    />
  );
}

/** How many of the last are of times that are not over, or have not come. */
function openCells(cells: readonly Cell[]): number {
  const first = cells.findIndex(({ isIncomplete }) => isIncomplete);
  return first < 0 ? 0 : cells.length - first;
}

/** At most so many that they can be told apart, evenly from the first to the last. */
function spread(cohorts: readonly Cohort[]): readonly Cohort[] {
  if (cohorts.length <= MAX_LINES) return cohorts;
  const step = (cohorts.length - 1) / (MAX_LINES - 1);
  return Array.from({ length: MAX_LINES }, (_, i) => cohorts[Math.round(i * step)]!);
}

/** The averages of the values of a breakdown. They are no numbers of people. */
function Means({ tables }: { tables: readonly RetentionTable[] }) {
  return (
    <TimeChart
      axis={tables[0]!.columns}
      series={tables.map(({ value, mean }, color) => ({
        key: JSON.stringify(value),
        label: breakdownName(value),
        color,
        values: mean,
      }))}
      look="line"
      format={formatPercent}
      formatShort={formatPercent}
    />
  );
}
