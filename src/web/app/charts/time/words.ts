import { listText, valueName } from "../../format/name.ts";
import type { Format, Series } from "../parts/types.ts";
import type { Look } from "./layers.ts";

const NAMES: Record<Look, string> = {
  line: "Line chart",
  area: "Area chart",
  bar: "Bar chart",
  stacked: "Stacked bar chart",
};

/** A series' name; that of a period before says so where it has the name of another. */
export function nameOf(series: readonly Series[], index: number): string {
  const { label, isPrevious } = series[index]!;
  const isTwice = isPrevious && series.some((one) => !one.isPrevious && one.label === label);
  return isTwice ? `${valueName(label)} (previous)` : valueName(label);
}

/** A series' name at a place, with the time where that is not the one of the axis. */
export function nameAt(series: readonly Series[], index: number, place: number): string {
  const title = series[index]!.titles?.[place];
  return title === undefined ? nameOf(series, index) : `${valueName(series[index]!.label)}, ${title}`;
}

/** What a chart is, for readers of screens. */
export function chartName(o: {
  label?: string;
  look: Look;
  series: readonly Series[];
  axis: readonly string[];
}): string {
  const names = listText([...new Set(o.series.map(({ label }) => valueName(label)))].map((name) => name.slice(0, 80)));
  const span = o.axis.length > 1 ? `${o.axis[0]} to ${o.axis.at(-1)}` : (o.axis[0] ?? "");
  return [o.label ?? NAMES[o.look], names, span].filter((text) => text !== "").join(", ");
}

/** A value and where it stands: "3 May, Pageview: 1,234". */
export function valueText(o: {
  titles: readonly string[];
  series: readonly Series[];
  format: Format;
  at: { index: number; series: number } | null;
}): string {
  if (o.at === null) return "No place chosen";
  const title = o.titles[o.at.index] ?? "";
  const one = o.series[o.at.series];
  const value = one?.values[o.at.index] ?? null;
  if (one === undefined || value === null) return `${title}: no value`;
  return `${title}, ${nameAt(o.series, o.at.series, o.at.index)}: ${o.format(value)}${isOpen(one, o.at.index) ? " so far" : ""}`;
}

/** Whether a place is of a time that is not over. */
export function isOpen({ values, incomplete = 0 }: Series, index: number): boolean {
  return index >= values.length - incomplete;
}
