import { useState } from "preact/hooks";
import type { QueryAnswer, QueryNode } from "../../api/node.ts";
import { formatCount, formatNumber } from "../../format/number.ts";
import { csvOf } from "../../kinds/csv.ts";
import { rowsOf } from "../../kinds/view/resultRows.tsx";
import type { ChartWish } from "../../kinds/view/sql/chartWish.ts";
import { columnsOf, planOf } from "../../kinds/view/sql/columns.ts";
import { SqlChart } from "../../kinds/view/sql/sqlChart.tsx";
import { Button } from "../../ui/button.tsx";
import { download } from "../../ui/download.ts";
import { Segments } from "../../ui/field.tsx";
import { ChartForm } from "./chartForm.tsx";
import { ResultTable } from "./resultTable.tsx";
import { StatementsDialog } from "./statements.tsx";
import type { Running } from "./useRun.ts";

interface ResultsProps {
  projectId: number;
  running: Running;
  /** What was run last. */
  node: QueryNode | null;
  name: string;
  chart: ChartWish;
  onChart(chart: ChartWish): void;
}

type Shown = "table" | "chart";
const SHOWN = [
  { value: "table", label: "Table" },
  { value: "chart", label: "Chart" },
] as const;

/** The rows of what was run last, as a table or a chart. */
export function Results({ projectId, running, node, name, chart, onChart }: ResultsProps) {
  const { answer, isRunning } = running;
  const shown: Shown = (chart.display ?? "ActionsTable") === "ActionsTable" ? "table" : "chart";
  const [hasStatements, setStatements] = useState(false);
  if (answer === undefined || node === null) return null;
  const show = (next: Shown) => {
    const { display: _, ...rest } = chart;
    const usual = planOf(columnsOf(answer), Array.isArray(answer.results) ? answer.results.length : 0, rest)?.display;
    onChart({ ...rest, display: next === "table" ? "ActionsTable" : (usual ?? "ActionsLineGraph") });
  };
  const save = () => {
    const table = rowsOf(answer);
    if (table !== null) download(name, csvOf(table));
  };
  return (
    <section class={isRunning ? "sql-results old" : "sql-results"} aria-label="Answer" aria-busy={isRunning}>
      <div class="sql-tools">
        <Segments label="Show as" value={shown} choices={SHOWN} onChange={show} />
        <span class="sql-count">{countWords(answer)}</span>
        <Button look="quiet" icon="download" onClick={save}>
          CSV
        </Button>
        <Button look="quiet" icon="code" onClick={() => setStatements(true)}>
          Show statements
        </Button>
      </div>
      {shown === "table" ? (
        <ResultTable answer={answer} />
      ) : (
        <>
          <ChartForm answer={answer} chart={chart} onChange={onChart} />
          <div class="sql-canvas">
            <SqlChart answer={answer} wish={chart} />
          </div>
        </>
      )}
      {hasStatements && (
        <StatementsDialog projectId={projectId} node={node} hogql={answer.hogql} onClose={() => setStatements(false)} />
      )}
    </section>
  );
}

function countWords({ results, hasMore, limit }: QueryAnswer): string {
  const count = Array.isArray(results) ? results.length : 0;
  if (hasMore !== true) return formatCount(count, "row");
  return `The first ${formatNumber(count)} rows: ${Number(limit) < 1000 ? "LIMIT asks for more" : "there are more"}`;
}
