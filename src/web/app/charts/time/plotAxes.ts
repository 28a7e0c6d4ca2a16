import type uPlot from "uplot";
import { textWidth } from "../parts/size.ts";
import type { Format } from "../parts/types.ts";
import { AXIS_HEIGHT_PX } from "./axis.ts";
import { labelledPlaces, withoutMidnights } from "./ticks.ts";

const LABEL_PX = 11;
const AXIS_GAP_PX = 8;
const LABEL_GAP_PX = 14;

interface Axes {
  axis: readonly string[];
  format: Format;
  /** Values that have a line. */
  ticks: readonly number[];
  /** How many places wide the plot is. */
  spans: number;
}

/** The time axis and that of the values, as uPlot takes them. */
export function axesOf(host: HTMLElement, { axis, format, ticks, spans }: Axes): uPlot.Axis[] {
  const shared = { stroke: colorOf(host, "var(--ink-3)"), font: `${LABEL_PX}px ${getComputedStyle(host).fontFamily}` };
  return [
    {
      ...shared,
      size: AXIS_HEIGHT_PX,
      gap: 6,
      grid: { show: false },
      ticks: { show: false },
      splits: (self) => placesWithLabels(self, axis, spans),
      values: (_, splits) => [...withoutMidnights(splits.map((index) => axis[index] ?? ""))],
    },
    {
      ...shared,
      gap: AXIS_GAP_PX,
      // The first label of the time axis reaches to the left of its place.
      size: (_, values) => Math.max(widest(values ?? []) + AXIS_GAP_PX, widest(axis.slice(0, 1)) / 2 + 1),
      grid: { stroke: colorOf(host, "var(--line)"), width: 1 },
      ticks: { show: false },
      splits: () => [...ticks],
      values: (_, splits) => splits.map((value) => format(value)),
    },
  ];
}

function placesWithLabels(u: uPlot, labels: readonly string[], spans: number): number[] {
  const width = u.bbox.width / devicePixelRatio;
  const widths = labels.map((label) => textWidth(label, LABEL_PX));
  const places = labelledPlaces(widths, spans > 0 ? width / spans : width, LABEL_GAP_PX);
  // A label that would reach over the edge of the canvas is left out.
  return places.filter(
    (index) => u.valToPos(index, "x") + widths[index]! / 2 <= u.width - u.bbox.left / devicePixelRatio,
  );
}

function widest(labels: readonly string[]): number {
  return Math.max(0, ...labels.map((label) => textWidth(label, LABEL_PX)));
}

/** A colour of the style sheet as a canvas knows it. */
export function colorOf(host: HTMLElement, css: string): string {
  const probe = document.createElement("span");
  probe.style.color = css;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
