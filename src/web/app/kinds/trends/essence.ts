import type { EntityNode } from "../../question/types.ts";
import { displayOf } from "./displays.ts";
import { formulasOf } from "./formulas.ts";
import type { TrendsNode } from "./types.ts";

/** What the numbers of a trend depend on: not names, not colours, not which form of several with the same numbers is drawn. */
export function essenceOf(node: TrendsNode): unknown {
  const { trendsFilter, series, ...rest } = node;
  return {
    ...rest,
    series: series.map(withoutName),
    numbers: NUMBERS[displayOf(node).name] ?? displayOf(node).of,
    smoothing: trendsFilter?.smoothingIntervals ?? 1,
    formulas: formulasOf(node).map(({ formula }) => formula),
  };
}

/** Forms that have numbers of their own: other times, other limits, sums. */
const NUMBERS: Readonly<Record<string, string>> = {
  ActionsLineGraphCumulative: "running",
  BoldNumber: "exact",
  WorldMap: "map",
  CalendarHeatmap: "calendar",
};

function withoutName(entity: EntityNode): EntityNode {
  const { custom_name: _, name, ...rest } = entity;
  // Of an event node without an event the name is what is asked for.
  return rest.event === undefined ? { ...rest, name } : rest;
}
