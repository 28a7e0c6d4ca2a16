import { isObject, type QueryNode } from "../../../api/node.ts";

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

/** What a DataVisualizationNode says of its chart. */
export function chartWishOf({ kind, display, chartSettings }: QueryNode): ChartWish {
  if (kind !== "DataVisualizationNode") return {};
  const { xAxis, yAxis, seriesBreakdownColumn: by } = isObject(chartSettings) ? chartSettings : {};
  const x = columnOf(xAxis);
  const y = (Array.isArray(yAxis) ? yAxis : []).map(columnOf).filter((column) => column !== undefined);
  const known = SQL_DISPLAYS.find(({ value }) => value === display)?.value;
  return {
    ...(known !== undefined && { display: known }),
    ...(x !== undefined && { x }),
    ...(y.length > 0 && { y }),
    ...((by === null || typeof by === "string") && { by: by ?? "" }),
  };
}

const columnOf = (axis: unknown): string | undefined =>
  isObject(axis) && typeof axis.column === "string" ? axis.column : undefined;

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
