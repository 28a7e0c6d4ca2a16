import type { Series } from "../parts/types.ts";

export type Look = "line" | "area" | "bar" | "stacked";

/** What a series covers at each place: from where to where on the axis of values. */
export interface Layer {
  /** Its index among the series of the chart. */
  series: number;
  /** Zero, or the end of the layer below. */
  from: readonly number[];
  to: readonly (number | null)[];
  /** Bars with different slots stand beside each other. */
  slot: number;
}

/**
 * The layers of the series that are shown. Stacked values above zero pile upwards and those below zero downwards; a period
 * that is compared with has piles of its own.
 */
export function layersOf(series: readonly Series[], shown: readonly number[], look: Look): Layer[] {
  const piles = { now: new Pile(), before: new Pile() };
  const hasNow = shown.some((index) => !series[index]!.isPrevious);
  return shown.map((index, order) => {
    const { values, isPrevious } = series[index]!;
    if (look === "line" || look === "bar") return { series: index, from: values.map(() => 0), to: values, slot: order };
    const layer = (isPrevious ? piles.before : piles.now).add(values);
    // The period before stands on the left.
    return { series: index, ...layer, slot: !isPrevious && hasNow && shown.some((i) => series[i]!.isPrevious) ? 1 : 0 };
  });
}

class Pile {
  private readonly above: number[] = [];
  private readonly below: number[] = [];

  add(values: readonly (number | null)[]): Pick<Layer, "from" | "to"> {
    const from: number[] = [];
    const to: (number | null)[] = [];
    for (const [place, value] of values.entries()) {
      const side = (value ?? 0) < 0 ? this.below : this.above;
      const start = side[place] ?? 0;
      from.push(start);
      to.push(value === null ? null : start + value);
      if (value !== null) side[place] = start + value;
    }
    return { from, to };
  }
}

/** The smallest and the largest value that is drawn; zero is always among them. */
export function extentOf(layers: readonly Layer[]): [min: number, max: number] {
  let min = 0;
  let max = 0;
  for (const { to } of layers) {
    for (const value of to) {
      if (value === null || !Number.isFinite(value)) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  return [min, max];
}

/** Whether all values are whole numbers, so that marks between them mean nothing. */
export function areWhole(series: readonly Series[]): boolean {
  return series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
}
