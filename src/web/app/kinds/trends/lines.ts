import type { QueryAnswer } from "../../api/node.ts";
import { countryName } from "../../charts/map/names.ts";
import { breakdownName, isOther, valueName } from "../../format/name.ts";
import { brokenBy } from "../../question/breakdownFilter.ts";
import { entityLabel, seriesLabel } from "../../question/entities.ts";
import { displayOf } from "./displays.ts";
import { formulasOf } from "./formulas.ts";
import { itemsOf, type TrendsItem, type TrendsNode } from "./types.ts";

/** An item of an answer, as the chart and the table show it. */
export interface Line {
  /** Tells it from the others, whatever their order. */
  key: string;
  label: string;
  color: number;
  item: TrendsItem;
  isPrevious: boolean;
  isShown: boolean;
}

const COLORS = 8;
/** The grey one. */
const OTHER_COLOR = 7;

/** The items of an answer with names and colours. */
export function linesOf(node: TrendsNode, answer: QueryAnswer): readonly Line[] {
  const items = itemsOf(answer);
  const colors = colorsOf(items);
  const names = namesOf(node);
  return items.map((item, index) => {
    const key = keyOf(item);
    return {
      key,
      label: labelOf(node, item, names),
      color: colors.get(lineOf(item)) ?? 0,
      item,
      isPrevious: item.compare_label === "previous",
      isShown: !isHidden(node, key, index),
    };
  });
}

/** PostHog's key of what was chosen for an item. */
function keyOf({ order, breakdown_value: value, compare_label }: TrendsItem): string {
  const breakdown = value === undefined ? undefined : [value].flat();
  return JSON.stringify({ series: order, breakdown_value: breakdown, compare_label });
}

/** The same for both periods of a line. */
const lineOf = (item: TrendsItem): string => keyOf({ ...item, compare_label: undefined });

function isHidden({ trendsFilter }: TrendsNode, key: string, index: number): boolean {
  return (
    trendsFilter?.resultCustomizations?.[key]?.hidden ?? trendsFilter?.hiddenLegendIndexes?.includes(index) ?? false
  );
}

/** The node whose chart draws the line, or not. */
export function withShown(node: TrendsNode, lines: readonly Line[], row: number, isShown: boolean): TrendsNode {
  const chosen: Record<string, { hidden?: boolean }> = { ...node.trendsFilter?.resultCustomizations };
  for (const [index, line] of lines.entries()) {
    const hidden = index === row ? !isShown : !line.isShown;
    const { hidden: _, ...rest } = chosen[line.key] ?? {};
    if (hidden) chosen[line.key] = { ...rest, hidden };
    else if (Object.keys(rest).length > 0) chosen[line.key] = rest;
    else delete chosen[line.key];
  }
  const { hiddenLegendIndexes: _, ...rest } = node.trendsFilter ?? {};
  return { ...node, trendsFilter: { ...rest, resultCustomizations: chosen } };
}

/** The names of the series, or of the formulas. */
function namesOf(node: TrendsNode): readonly string[] {
  const formulas = formulasOf(node);
  if (formulas.length > 0) return formulas.map(({ formula, custom_name }) => custom_name || formula);
  const short = node.series.map(entityLabel);
  // The same event twice differs by what is counted.
  return node.series.map((entity, index) =>
    short.filter((name) => name === short[index]).length > 1 ? seriesLabel(entity) : short[index]!,
  );
}

function labelOf(node: TrendsNode, item: TrendsItem, names: readonly string[]): string {
  const name = names[item.order] ?? item.label;
  if (item.breakdown_value === undefined) return name;
  const isOfCohort = brokenBy(node.breakdownFilter).cohorts.length > 0;
  const value = isOfCohort ? item.label.replace(/^.* - /, "") : valueLabel(node, item);
  // What differs most stands first: long names are cut.
  return names.length > 1 ? `${value} · ${name}` : value;
}

/** A map is of countries, whose codes are read as names. */
function valueLabel(node: TrendsNode, { breakdown_value: value }: TrendsItem): string {
  return displayOf(node).name === "WorldMap" ? countryName(codeOf(value)) : breakdownName(value);
}

/** Two letters of a country; what is none is its own name. */
export function codeOf(value: TrendsItem["breakdown_value"]): string {
  const name = valueName(value);
  return /^[A-Za-z]{2}$/.test(name) ? name.toUpperCase() : name;
}

/** Colours go by rank, which is the order of the answer: the largest has the first. Those beyond the limit are grey. */
function colorsOf(items: readonly TrendsItem[]): ReadonlyMap<string, number> {
  const colors = new Map<string, number>();
  const hasOther = items.some((item) => isOther(item.breakdown_value));
  let rank = 0;
  for (const item of items) {
    const key = lineOf(item);
    if (colors.has(key)) continue;
    if (item.breakdown_value === undefined) colors.set(key, item.order % COLORS);
    else if (isOther(item.breakdown_value)) colors.set(key, OTHER_COLOR);
    else {
      if (hasOther && rank % COLORS === OTHER_COLOR) rank += 1;
      colors.set(key, rank++);
    }
  }
  return colors;
}
