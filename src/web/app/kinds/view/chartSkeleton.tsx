import type { QueryNode } from "../../api/node.ts";

/** The forms that charts have, as far as they can be told before there is an answer. */
type Form = "line" | "bars" | "columns" | "grid" | "rows" | "number" | "plain";

const FORMS: Readonly<Record<string, Form>> = {
  FunnelsQuery: "columns",
  RetentionQuery: "grid",
  StickinessQuery: "bars",
  LifecycleQuery: "bars",
  ActionsBar: "bars",
  ActionsUnstackedBar: "bars",
  ActionsBarValue: "rows",
  ActionsTable: "rows",
  BoldNumber: "number",
  CalendarHeatmap: "grid",
  ActionsPie: "plain",
  WorldMap: "plain",
  PathsQuery: "plain",
};
const PARTS: Readonly<Record<Form, number>> = { line: 1, bars: 12, columns: 3, grid: 40, rows: 6, number: 2, plain: 1 };

/** The form of a question's chart in grey, while its first answer is on the way. */
export function ChartSkeleton({ node }: { node: QueryNode }) {
  const form = formOf(node);
  return (
    <div class={`chart-skeleton as-${form}`} aria-hidden="true">
      {Array.from({ length: PARTS[form] }, (_, part) => (
        <span key={part} />
      ))}
    </div>
  );
}

function formOf(node: QueryNode): Form {
  if (node.kind !== "TrendsQuery") return FORMS[node.kind] ?? "rows";
  const display = (node.trendsFilter as { display?: string } | undefined)?.display ?? "";
  return FORMS[display] ?? "line";
}
