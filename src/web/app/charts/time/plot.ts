import uPlot from "uplot";
import { seriesColor } from "../parts/color.ts";
import type { PlotFrame } from "../parts/cover.ts";
import type { BoxSize, Format, Series } from "../parts/types.ts";
import { TOP_PX, valueTicks } from "./axis.ts";
import { type Layer, type Look, layersOf } from "./layers.ts";
import { barOf, paint } from "./paint.ts";
import { axesOf, colorOf } from "./plotAxes.ts";

interface PlotOptions {
  axis: readonly string[];
  series: readonly Series[];
  /** Indexes of the series that are shown. */
  shown: readonly number[];
  look: Look;
  format: Format;
  max?: number;
  syncKey?: string;
  /** Room for labels at the right. */
  rightPx: number;
  size: BoxSize;
  /** Told after each drawing, with the place of the plot in its chart. */
  onDrawn(frame: PlotFrame): void;
}

/** A drawn chart. */
export interface Plot {
  readonly over: HTMLElement;
  resize(size: BoxSize): void;
  /** The place at a point of the plot. */
  indexAt(left: number): number;
  /** The layer at a point of the plot, or the nearest to it; -1 where no series has a value. Gives the index of the series. */
  seriesAt(index: number, left: number, top: number): number;
  /** Where the value of a series at a place is drawn, in CSS pixels from the top of the plot. */
  topAt(at: { index: number; series: number }): number;
  leftOf(index: number): number;
  /** Shows the cursor at a place; null hides it. */
  moveTo(at: { index: number; top: number } | null): void;
  destroy(): void;
}

/** The last argument, which its types lack, tells the charts with the same key. */
type SetCursor = (at: { left: number; top: number }, isFired: boolean, isPublished: boolean) => void;

/** Draws a chart into a host. Colours are read from the page as they are now. */
export function drawPlot(host: HTMLElement, options: PlotOptions): Plot {
  const { series, shown, look, size } = options;
  const layers = layersOf(series, shown, look);
  const colors = series.map(({ color }) => canvasColor(host, color));
  const isBars = look === "bar" || look === "stacked";
  const places = options.axis.length;
  const half = isBars || places < 2 ? 0.5 : 0;
  const ticks = valueTicks(layers, options);
  const xs = options.axis.map((_, index) => index);
  const column = document.createElement("div");
  column.className = "time-column";
  const u = new uPlot(
    {
      ...size,
      legend: { show: false },
      padding: [TOP_PX, options.rightPx, 0, 0],
      scales: {
        x: { time: false, range: [-half, Math.max(places - 1 + half, half)] },
        y: { range: [ticks[0]!, ticks.at(-1)!] },
      },
      axes: axesOf(host, { ...options, ticks, spans: places - 1 + 2 * half }),
      series: [{}, ...layers.map((layer) => cursorSeries(colors[layer.series]!, isBars))],
      cursor: cursorOf(host, options, isBars),
      hooks: {
        draw: [
          (self) => {
            paint(self, { look, series, layers, colors });
            zeroLine(self, colorOf(host, "var(--line-strong)"));
            options.onDrawn(frameOf(self));
          },
        ],
        setCursor: [
          (self) => {
            const { cursor } = self;
            if (isBars) showColumn(self, column, (cursor.left ?? -1) >= 0 ? (cursor.idx ?? null) : null);
          },
        ],
      },
    },
    [xs, ...layers.map(({ to }) => [...to])] as uPlot.AlignedData,
    host,
  );
  if (isBars) u.under.append(column);
  u.root.setAttribute("aria-hidden", "true");
  return {
    over: u.over,
    resize: (next) => u.setSize(next),
    indexAt: (left) => u.posToIdx(left),
    seriesAt: (index, left, top) => nearest(u, { layers, look }, index, left, top),
    topAt: ({ index, series: wanted }) => {
      const value = layers.find((layer) => layer.series === wanted)?.to[index] ?? null;
      return u.valToPos(value ?? 0, "y");
    },
    leftOf: (index) => u.valToPos(index, "x"),
    moveTo(at) {
      const point = at === null ? { left: -10, top: -10 } : { left: u.valToPos(at.index, "x"), top: at.top };
      (u.setCursor as SetCursor)(point, true, true);
    },
    destroy: () => u.destroy(),
  };
}

function frameOf(u: uPlot): PlotFrame {
  const ratio = devicePixelRatio;
  const [left, top] = [u.bbox.left / ratio, u.bbox.top / ratio];
  const [width, height] = [u.bbox.width / ratio, u.bbox.height / ratio];
  return { left, top, width, height, leftOf: (index) => left + u.valToPos(index, "x") };
}

/** A line and dots at the place under the pointer; bars have a column instead. */
function cursorOf(host: HTMLElement, { syncKey }: PlotOptions, isBars: boolean): uPlot.Cursor {
  return {
    y: false,
    x: !isBars,
    // A press is a pick; uPlot would take one that its cursor snapped away from for the end of a drag.
    drag: { setScale: false, x: false, y: false, click: () => {} },
    points: isBars
      ? { show: false }
      : {
          size: 8,
          width: 2,
          stroke: colorOf(host, "var(--surface)"),
          fill: (self, index) => (self.series[index]!.stroke as () => string)(),
        },
    move: (self, left, top) => (left < 0 ? [left, top] : [self.valToPos(self.posToIdx(left), "x"), top]),
    ...(syncKey !== undefined && {
      sync: { key: syncKey, setSeries: false, scales: ["x", null] as [string, null] },
    }),
  };
}

/** uPlot keeps the values for the cursor; it draws nothing of them itself. */
function cursorSeries(color: string, isBars: boolean): uPlot.Series {
  return { paths: () => null, points: { show: false }, stroke: color, fill: isBars ? color : undefined, width: 1 };
}

function zeroLine(u: uPlot, color: string): void {
  const { ctx, bbox } = u;
  const y = Math.round(u.valToPos(0, "y", true));
  ctx.save();
  ctx.fillStyle = color;
  ctx.fillRect(bbox.left, y, bbox.width, Math.max(1, Math.round(devicePixelRatio)));
  ctx.restore();
}

/** A pale column behind the bars of a place. */
function showColumn(u: uPlot, column: HTMLElement, index: number | null): void {
  column.hidden = index === null;
  if (index === null) return;
  const [left, right] = [u.valToPos(index - 0.5, "x"), u.valToPos(index + 0.5, "x")];
  column.style.left = `${left}px`;
  column.style.width = `${right - left}px`;
}

function nearest(
  u: uPlot,
  { layers, look }: { layers: readonly Layer[]; look: Look },
  index: number,
  left: number,
  top: number,
): number {
  const ratio = devicePixelRatio;
  let best = { series: -1, distance: Number.POSITIVE_INFINITY };
  for (const layer of layers) {
    const to = layer.to[index] ?? null;
    if (to === null) continue;
    const [a, b] = [u.valToPos(to, "y"), u.valToPos(layer.from[index] ?? 0, "y")];
    let distance = Math.abs(top - a);
    if (look !== "line") distance = top < Math.min(a, b) ? Math.min(a, b) - top : Math.max(0, top - Math.max(a, b));
    if (look === "bar" || look === "stacked") {
      const bar = barOf(u, layers, layer, index);
      // Beside a bar counts more than above it: who points at a column means it.
      const middle = bar === null ? u.valToPos(index, "x") : (bar.left + bar.width / 2 - u.bbox.left) / ratio;
      const reach = bar === null ? 0 : bar.width / 2 / ratio;
      distance += 1_000 * Math.max(0, Math.abs(left - middle) - reach);
    }
    if (distance < best.distance) best = { series: layer.series, distance };
  }
  return best.series;
}

const canvasColor = (host: HTMLElement, color: number): string => colorOf(host, seriesColor(color));
