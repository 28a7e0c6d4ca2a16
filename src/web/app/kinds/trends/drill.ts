import { entityLabel, letterOf } from "../../question/entities.ts";
import type { Drill } from "../drill.ts";
import { nameOfPlace } from "../parts/axis.ts";
import { titleOf } from "./axis.ts";
import { type Calendar, CELL_BREAKDOWN } from "./calendar.ts";
import { displayOf } from "./displays.ts";
import { formulasOf } from "./formulas.ts";
import type { Line } from "./lines.ts";
import type { TrendsNode } from "./types.ts";

/** Maths whose number is one of people or groups. */
const OF_ACTORS: ReadonlySet<string> = new Set([
  "dau",
  "weekly_active",
  "monthly_active",
  "unique_group",
  "first_time_for_user",
  "first_matching_event_for_user",
]);

/** The people behind a line, at a place of the axis by the clock of a zone or, with `index` null, over the whole time. */
export function drillOf(node: TrendsNode, line: Line, index: number | null, zone: string): Drill {
  const { item } = line;
  const day = index === null ? undefined : item.days[index];
  const place = index === null ? undefined : nameOfPlace(item.days, index, zone);
  const title = [
    line.label,
    day === undefined ? null : titleOf(node, day),
    line.isPrevious ? "the period before" : null,
  ];
  const base = { title: title.filter((part) => part !== null).join(", ") };
  const letters = lettersOf(node, item.order);
  if (letters !== null) {
    const choices = letters.map((series) => ({
      label: `${letterOf(series)} ${entityLabel(node.series[series]!)}`,
      source: sourceOf(node, line, place, series),
    }));
    return { ...base, count: null, source: choices[0]?.source ?? sourceOf(node, line, place, 0), choices };
  }
  const value = index === null ? (item.aggregated_value ?? item.count) : (item.data[index] ?? 0);
  const math = node.series[item.order]?.math ?? "total";
  const isExact = isPlain(node) && (index !== null || item.aggregated_value !== undefined);
  return {
    ...base,
    count: isExact && OF_ACTORS.has(math) ? value : null,
    events: isExact && math === "total" && !isRunning(node) ? value : null,
    source: sourceOf(node, line, place, item.order),
  };
}

/** The people behind a cell of a calendar: a weekday and an hour, both from 0. */
export function cellDrillOf(node: TrendsNode, line: Line, calendar: Calendar, row: number, column: number): Drill {
  const value = calendar.rows[row]?.values[column] ?? 0;
  const whole: TrendsNode = {
    ...node,
    series: node.series.slice(0, 1),
    breakdownFilter: CELL_BREAKDOWN,
    compareFilter: undefined,
    trendsFilter: { display: "ActionsTable" },
  };
  const cell = { ...line.item, aggregated_value: value, breakdown_value: [String(row + 1), String(column)] };
  const drill = drillOf(whole, { ...line, item: cell }, null, "UTC");
  return { ...drill, title: [line.label, calendar.rows[row]?.label, calendar.columns[column]].join(", ") };
}

/** The series that a formula names, from 0; null where the answer is of series. */
function lettersOf(node: TrendsNode, order: number): readonly number[] | null {
  const formulas = formulasOf(node);
  if (formulas.length === 0) return null;
  const { formula = "" } = formulas[order] ?? {};
  return node.series
    .map((_, index) => index)
    .filter((index) => formula.toUpperCase().includes(String.fromCharCode(65 + index)));
}

function sourceOf(node: TrendsNode, { item }: Line, day: string | undefined, series: number) {
  const { formula: _f, formulas: _s, formulaNodes: _n, ...trendsFilter } = node.trendsFilter ?? {};
  return {
    kind: "InsightActorsQuery",
    source: { ...node, trendsFilter },
    series,
    ...(day === undefined ? {} : { day }),
    ...(item.breakdown_value === undefined ? {} : { breakdown: item.breakdown_value }),
    ...(item.compare_label === undefined ? {} : { compare: item.compare_label }),
  };
}

/** Numbers are as they were counted: no averages of several, no scaled samples. */
const isPlain = ({ trendsFilter, samplingFactor }: TrendsNode): boolean =>
  (trendsFilter?.smoothingIntervals ?? 1) <= 1 && (samplingFactor ?? 1) === 1;

const isRunning = (node: TrendsNode): boolean => displayOf(node).name === "ActionsLineGraphCumulative";
