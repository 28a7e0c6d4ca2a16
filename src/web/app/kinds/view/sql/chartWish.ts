import type { QueryNode } from "../../../api/node.ts";

/** PostHog's names for the forms that rows of SQL are shown in. */
export const SQL_DISPLAYS = [
  { value: "ActionsTable", label: "Table" },
  { value: "ActionsLineGraph", label: "Line" },
  { value: "ActionsAreaGraph", label: "Area" },
  { value: "ActionsBar", label: "Bars" },
  { value: "ActionsStackedBar", label: "Stacked bars" },
  { value: "ActionsBarValue", label: "Ranking" },
  { value: "BoldNumber", label: "Number" },
] as const;
export type SqlDisplay = (typeof SQL_DISPLAYS)[number]["value"];

/** How rows are to be drawn; what is absent is found by the types of the columns. */
export interface ChartWish {
  display?: SqlDisplay;
  /** The column along the axis. */
  x?: string;
  /** The columns that are drawn. */
  y?: readonly string[];
  /** The column whose values are lines of their own; empty: none. */
  by?: string;
}

interface Settings {
  xAxis?: { column?: string };
  yAxis?: { column?: string }[];
  seriesBreakdownColumn?: string | null;
}

/** What a DataVisualizationNode says of its chart. */
export function chartWishOf({ kind, display, chartSettings }: QueryNode): ChartWish {
  if (kind !== "DataVisualizationNode") return {};
  const { xAxis, yAxis, seriesBreakdownColumn: by } = (chartSettings ?? {}) as Settings;
  const y = yAxis?.flatMap(({ column }) => (column === undefined ? [] : [column]));
  const known = SQL_DISPLAYS.find(({ value }) => value === display)?.value;
  return {
    ...(known !== undefined && { display: known }),
    ...(xAxis?.column !== undefined && { x: xAxis.column }),
    ...(y !== undefined && y.length > 0 && { y }),
    ...(by !== undefined && { by: by ?? "" }),
  };
}

/** The node with that, beside what else it says. */
export function withChartWish(node: QueryNode, { display, x, y, by }: ChartWish): QueryNode {
  const settings = {
    ...(x !== undefined && { xAxis: { column: x } }),
    ...(y !== undefined && { yAxis: y.map((column) => ({ column })) }),
    ...(by !== undefined && { seriesBreakdownColumn: by || null }),
  };
  return {
    ...node,
    ...(display !== undefined && { display }),
    ...(Object.keys(settings).length > 0 && { chartSettings: settings }),
  };
}

/** Whether a node asks for a chart of its rows. */
export const isDrawn = (node: QueryNode): boolean => (chartWishOf(node).display ?? "ActionsTable") !== "ActionsTable";
