import type { QueryAnswer } from "../../api/node.ts";
import { breakdownName } from "../../format/name.ts";
import { entityLabel } from "../../question/entities.ts";
import type { FunnelsNode } from "./node.ts";

/** What an item says of the value and the period that it is of. */
interface Told {
  breakdown?: unknown;
  breakdown_value?: unknown;
  compare_label?: "current" | "previous";
}

/** A step as the answer has it. */
interface StepItem extends Told {
  name: string;
  custom_name: string | null;
  count: number;
  average_conversion_time: number | null;
  median_conversion_time: number | null;
}

/** Conversion over time. */
export interface TrendItem extends Told {
  data: number[];
  days: string[];
  reached_from_step_count: number[];
  reached_to_step_count: number[];
}

/** How long conversion took: from how many seconds on, and how many. */
interface TimesItem extends Told {
  bins: [number, number][];
  average_conversion_time: number | null;
}

/** What a part of an answer is of: nothing where there is neither a breakdown nor a comparison. */
export interface Of {
  /** As a drill names it. */
  value?: unknown;
  isPrevious: boolean;
  /** Empty where there is nothing to tell apart. */
  label: string;
}

export interface StepGroup extends Of {
  steps: StepItem[];
}

const ofItem = ({ breakdown, breakdown_value: value, compare_label: period }: Told): Of => {
  const isPrevious = period === "previous";
  const named = value === undefined ? "" : breakdownName(breakdown ?? value);
  const time = period === undefined ? "" : isPrevious ? "Previous" : "Current";
  return { value, isPrevious, label: [named, time].filter((text) => text !== "").join(" · ") };
};

/** The steps of each value and period. */
export function stepGroups({ results }: QueryAnswer): StepGroup[] {
  const items = (results ?? []) as (StepItem | StepItem[])[];
  const lists = items.every(Array.isArray)
    ? (items as StepItem[][])
    : [...Map.groupBy(items as StepItem[], ({ compare_label: period }) => period ?? "").values()];
  return lists.filter((steps) => steps.length > 0).map((steps) => ({ steps, ...ofItem(steps[0]!) }));
}

export const trendSeries = ({ results }: QueryAnswer): (Of & { item: TrendItem })[] =>
  ((results ?? []) as TrendItem[]).map((item) => ({ item, ...ofItem(item) }));

/** The bins that an answer has; the last one is left out where nobody is in it: it only ends the one before. */
export function timesOf({ results }: QueryAnswer): (Of & { item: TimesItem; bins: Bin[] })[] {
  const items = (Array.isArray(results) ? results : results ? [results] : []) as TimesItem[];
  return items.map((item) => ({ item, bins: binsOf(item), ...ofItem(item) }));
}

export interface Bin {
  fromS: number;
  toS: number;
  count: number;
}

function binsOf({ bins }: TimesItem): Bin[] {
  const widthS = bins.length > 1 ? bins[1]![0] - bins[0]![0] : 0;
  const all = bins.map(([fromS, count]): Bin => ({ fromS, toS: fromS + widthS, count }));
  return all.at(-1)?.count === 0 ? all.slice(0, -1) : all;
}

/** What a step is called: as the question calls it; the steps of an unordered funnel as the answer does. */
export function stepName(node: FunnelsNode, item: StepItem, step: number): string {
  const entity = node.series[step];
  const isNamed = entity !== undefined && node.funnelsFilter?.funnelOrderType !== "unordered";
  return isNamed ? entityLabel(entity) : item.name;
}

/** Whether nobody began, in an answer of any form; for times whether nobody converted. */
export function isEmpty({ results }: QueryAnswer): boolean {
  const items = [results ?? []].flat(2) as Partial<TrendItem & TimesItem>[];
  return items.every(({ reached_from_step_count: from, bins }) => {
    if (from !== undefined) return from.every((count) => count === 0);
    return bins !== undefined && bins.length === 0;
  });
}
