import type { Series } from "../parts/types.ts";
import { areWhole, extentOf, type Layer } from "./layers.ts";
import { niceTicks } from "./ticks.ts";

/** Of the axis of time. */
export const AXIS_HEIGHT_PX = 24;
/** Above the plot, so that the highest label is whole. */
export const TOP_PX = 8;
const TICK_PX = 52;

interface ValueAxis {
  series: readonly Series[];
  shown: readonly number[];
  max?: number;
  size: { height: number };
}

/** The marks of the axis of values; the first and the last are its ends. */
export function valueTicks(layers: readonly Layer[], { series, shown, max, size }: ValueAxis): number[] {
  const [low, high] = extentOf(layers);
  const most = Math.max(2, Math.floor((size.height - AXIS_HEIGHT_PX) / TICK_PX) + 1);
  const isWhole = max === undefined && areWhole(shown.map((index) => series[index]!));
  return niceTicks(low, Math.max(high, max ?? high), most, isWhole);
}
