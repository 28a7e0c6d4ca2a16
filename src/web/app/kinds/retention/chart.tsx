import { useState } from "preact/hooks";
import { RetentionGrid, type RetentionRow } from "../../charts/retentionGrid.tsx";
import { breakdownName } from "../../format/name.ts";
import { Segments, Select } from "../../ui/field.tsx";
import type { ChartProps } from "../kind.ts";
import { type RetentionTable, tablesOf } from "./answer.ts";
import { cellDrill } from "./drill.ts";
import { cohortLabels } from "./labels.ts";
import { RetentionLines } from "./lines.tsx";
import { isLines, type RetentionNode } from "./node.ts";

const SHOWS = [
  { value: "ratio", label: "Shares" },
  { value: "count", label: "Counts" },
] as const;

/** Retention as a grid or as lines. A breakdown has a grid for each value, of which one is seen. */
export function RetentionChart(props: ChartProps<RetentionNode>) {
  return isLines(props.node) ? <RetentionLines {...props} /> : <Grid {...props} />;
}

function Grid(props: ChartProps<RetentionNode>) {
  const { node, answer, size } = props;
  const isSummed = (node.retentionFilter.aggregationType ?? "count") !== "count";
  const [shows, setShows] = useState<"ratio" | "count">("ratio");
  const [chosen, setChosen] = useState(0);
  const tables = tablesOf(node, answer);
  const table = tables[Math.min(chosen, tables.length - 1)];
  if (table === undefined) return null;
  const hasValues = tables.length > 1;
  return (
    <div class="retention">
      {(size === "page" || hasValues) && (
        <div class="kind-row">
          {hasValues && (
            <Select
              label="Value of the breakdown"
              value={tables.indexOf(table)}
              choices={tables.map(({ value }, i) => ({ value: i, label: breakdownName(value) }))}
              onChange={(index) => setChosen(index)}
            />
          )}
          {size === "page" && !isSummed && (
            <Segments label="Cells show" value={shows} choices={SHOWS} onChange={(next) => setShows(next)} />
          )}
        </div>
      )}
      <GridOf {...props} table={table} shows={isSummed ? "count" : shows} />
    </div>
  );
}

function GridOf({
  node,
  answer,
  onDrill,
  table,
  shows,
}: ChartProps<RetentionNode> & { table: RetentionTable; shows: "ratio" | "count" }) {
  const labels = cohortLabels(node, answer, table.cohorts);
  const rows = table.cohorts.map(
    ({ size, cells }, i): RetentionRow => ({
      label: labels[i]!,
      size,
      cells: cells.map(({ shown, ratio, isIncomplete }) => ({ count: shown, ratio, isIncomplete })),
    }),
  );
  const pick = (row: number, column: number) => {
    const cohort = table.cohorts[row];
    const at = Math.max(0, column);
    // The row of averages, and times that have not come, are no people.
    if (cohort?.cells[at]?.people == null) return;
    onDrill?.(cellDrill(node, table, cohort, at, labels[row]!));
  };
  const hasMean = shows === "ratio" && node.retentionFilter.meanRetentionCalculation !== "none";
  return (
    <RetentionGrid
      columns={table.columns}
      rows={rows}
      shows={shows}
      mean={hasMean ? meanRow(table) : undefined}
      onPick={onDrill && pick}
    />
  );
}

function meanRow({ cohorts, mean }: RetentionTable): RetentionRow {
  const size = Math.round(cohorts.reduce((sum, cohort) => sum + cohort.size, 0) / Math.max(1, cohorts.length));
  return {
    label: "Average",
    size,
    cells: mean.map((ratio) => ({
      count: ratio === null ? null : Math.round(ratio * size),
      ratio,
      isIncomplete: false,
    })),
  };
}
