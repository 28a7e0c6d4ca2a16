import type { TrendsNode } from "./types.ts";

export interface Display {
  name: string;
  label: string;
  /** A value for each interval, or one for the whole time. */
  of: "time" | "whole";
}

/** The forms of the chart of a trend, by the names that nodes have. */
export const DISPLAYS: readonly Display[] = [
  { name: "ActionsLineGraph", label: "Line", of: "time" },
  { name: "ActionsLineGraphCumulative", label: "Line, running total", of: "time" },
  { name: "ActionsAreaGraph", label: "Area", of: "time" },
  { name: "ActionsUnstackedBar", label: "Bars", of: "time" },
  { name: "ActionsBar", label: "Stacked bars", of: "time" },
  { name: "CalendarHeatmap", label: "Calendar", of: "whole" },
  { name: "BoldNumber", label: "Number", of: "whole" },
  { name: "ActionsBarValue", label: "Bars by value", of: "whole" },
  { name: "ActionsPie", label: "Pie", of: "whole" },
  { name: "ActionsTable", label: "Table", of: "whole" },
  { name: "WorldMap", label: "World map", of: "whole" },
];

/** Names that mean the same as another. */
const SAME: Readonly<Record<string, string>> = { ActionsStackedBar: "ActionsBar", ActionsProgress: "ActionsBarValue" };

/** The display of a node; lines where it has none that is known. */
export function displayOf(node: TrendsNode): Display {
  const name = node.trendsFilter?.display ?? "ActionsLineGraph";
  return DISPLAYS.find((display) => display.name === (SAME[name] ?? name)) ?? DISPLAYS[0]!;
}

const COUNTRY = "$geoip_country_code";

/** The node with another form of its chart. A map needs countries: it brings their breakdown, and takes it along. */
export function withDisplay(node: TrendsNode, name: string): TrendsNode {
  const next: TrendsNode = { ...node, trendsFilter: { ...node.trendsFilter, display: name } };
  const breakdowns = node.breakdownFilter?.breakdowns ?? [];
  const isByCountry = breakdowns.length === 1 && breakdowns[0]?.property === COUNTRY;
  if (name === "WorldMap" && !isByCountry) {
    return { ...next, breakdownFilter: { breakdowns: [{ type: "event", property: COUNTRY }] } };
  }
  if (name !== "WorldMap" && node.trendsFilter?.display === "WorldMap" && isByCountry) {
    return { ...next, breakdownFilter: undefined };
  }
  return next;
}
