import { seriesColor } from "../parts/color.ts";
import { textWidth } from "../parts/size.ts";
import { Swatch } from "../parts/tip.tsx";
import type { BoxSize, Series } from "../parts/types.ts";
import { AXIS_HEIGHT_PX, TOP_PX, valueTicks } from "./axis.ts";
import { type Look, layersOf } from "./layers.ts";
import { spreadLabels } from "./ticks.ts";
import { nameOf } from "./words.ts";

const FROM_WIDTH_PX = 460;
const MOST = 10;
const ROW_PX = 16;
/** A label further away from its line would not be seen to belong to it. */
const REACH_PX = 22;
const TEXT_PX = 12;
const WIDEST_PX = 168;
/** The swatch, and room around. */
const EXTRA_PX = 28;

interface EndLabel {
  series: number;
  /** Its middle, CSS pixels from the top of the chart. */
  top: number;
}

interface EndLabelsFit {
  labels: readonly EndLabel[];
  widthPx: number;
}

/** Where the names of lines stand at their ends; null where they do not fit, so that a legend is needed. */
export function fitEndLabels(o: {
  series: readonly Series[];
  shown: readonly number[];
  look: Look;
  max?: number;
  size: BoxSize;
}): EndLabelsFit | null {
  const { series, shown, look, size } = o;
  // One line and its period before would not be told apart by colour.
  const isPair = shown.length === 2;
  const named = shown.filter((index) => isPair || !series[index]!.isPrevious);
  if ((look !== "line" && look !== "area") || size.width < FROM_WIDTH_PX) return null;
  if (named.length === 0 || named.length > MOST) return null;
  const layers = layersOf(series, shown, look);
  const ticks = valueTicks(layers, o);
  const bottom = size.height - AXIS_HEIGHT_PX;
  const topOf = (value: number) => TOP_PX + ((ticks.at(-1)! - value) / (ticks.at(-1)! - ticks[0]!)) * (bottom - TOP_PX);
  const wishes = named.map((index) => {
    const layer = layers.find((one) => one.series === index)!;
    const place = layer.to.findLastIndex((value) => value !== null);
    if (place < 0) return bottom;
    const to = layer.to[place]!;
    return topOf(look === "area" ? (to + layer.from[place]!) / 2 : to);
  });
  const tops = spreadLabels(wishes, { heightPx: ROW_PX, top: 0, bottom: size.height, reachPx: REACH_PX });
  if (tops === null) return null;
  const widths = named.map((index) => textWidth(nameOf(series, index), TEXT_PX));
  return {
    labels: named.map((index, at) => ({ series: index, top: tops[at]! })),
    widthPx: Math.min(WIDEST_PX, Math.ceil(Math.max(...widths)) + EXTRA_PX),
  };
}

/** The names of lines at their ends. */
export function EndLabels({ fit, series }: { fit: EndLabelsFit; series: readonly Series[] }) {
  return (
    <div class="end-labels" style={{ width: `${fit.widthPx - 8}px` }}>
      {fit.labels.map(({ series: index, top }) => {
        const { key, label, color, isPrevious } = series[index]!;
        return (
          <span key={key} class="end-label" style={{ top: `${Math.round(top - ROW_PX / 2)}px` }} title={label}>
            <Swatch color={seriesColor(color)} isPale={isPrevious} />
            <bdi>{nameOf(series, index)}</bdi>
          </span>
        );
      })}
    </div>
  );
}
