import type uPlot from "uplot";
import type { Series } from "../parts/types.ts";
import type { Layer, Look } from "./layers.ts";

interface Paint {
  look: Look;
  series: readonly Series[];
  layers: readonly Layer[];
  /** By series: colours that a canvas knows. */
  colors: readonly string[];
}

const LINE_PX = 1.75;
const PALE = 0.42;
const DOT_PX = 2.5;
/** Part of a place that bars fill, and the widest bar. */
const BAR_SHARE = 0.72;
const BAR_PX = 64;
/** Columns of this width that hold as many places as this are drawn as their lowest and highest. */
const COLUMN_PX = 2;
const CROWD = 3;

/** In pixels of the canvas. */
type Place = readonly [x: number, y: number];

/** Draws all layers into the canvas of a plot. */
export function paint(plot: uPlot, { look, ...rest }: Paint): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  const margin = 4 * devicePixelRatio;
  ctx.rect(bbox.left - margin, bbox.top - margin, bbox.width + 2 * margin, bbox.height + 2 * margin);
  ctx.clip();
  if (look === "bar" || look === "stacked") paintBars(plot, rest);
  else paintLines(plot, { look, ...rest });
  ctx.restore();
}

function paintBars(plot: uPlot, { series, layers, colors }: Omit<Paint, "look">): void {
  const { ctx } = plot;
  for (const layer of layers) {
    const { values, isPrevious, incomplete = 0 } = series[layer.series]!;
    ctx.fillStyle = colors[layer.series]!;
    ctx.strokeStyle = colors[layer.series]!;
    for (let place = 0; place < values.length; place++) {
      const bar = barOf(plot, layers, layer, place);
      if (bar === null) continue;
      const isOpen = place >= values.length - incomplete;
      ctx.globalAlpha = isPrevious ? PALE : isOpen ? 0.3 : 1;
      ctx.fillRect(bar.left, bar.top, bar.width, bar.height);
      if (isOpen && !isPrevious && bar.width > 4) outline(ctx, bar);
    }
  }
  ctx.globalAlpha = 1;
}

/** Dashed around what is not over. */
function outline(ctx: CanvasRenderingContext2D, { left, top, width, height }: Bar): void {
  ctx.globalAlpha = 1;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 2 * devicePixelRatio]);
  ctx.strokeRect(left + ctx.lineWidth / 2, top + ctx.lineWidth / 2, width - ctx.lineWidth, height - ctx.lineWidth);
  ctx.setLineDash([]);
}

export interface Bar {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where a bar stands in the canvas, in its pixels; null where there is none. */
export function barOf(plot: uPlot, layers: readonly Layer[], layer: Layer, place: number): Bar | null {
  const to = layer.to[place] ?? null;
  const from = layer.from[place] ?? 0;
  if (to === null || to === from) return null;
  const ratio = devicePixelRatio;
  const slots = 1 + Math.max(...layers.map(({ slot }) => slot));
  const stepPx = Math.abs(plot.valToPos(1, "x", true) - plot.valToPos(0, "x", true));
  const barPx = Math.max(1, Math.min(BAR_PX * ratio, (stepPx * BAR_SHARE) / slots));
  const isWide = barPx > 6 * ratio;
  const besidePx = isWide && slots > 1 ? ratio : 0;
  const betweenPx = isWide && from !== 0 ? ratio : 0;
  const left = plot.valToPos(place, "x", true) + (layer.slot - slots / 2) * barPx;
  const [high, low] = [plot.valToPos(Math.max(from, to), "y", true), plot.valToPos(Math.min(from, to), "y", true)];
  const top = Math.round(high);
  // What is there can be seen, however little it is.
  const height = Math.max(ratio, Math.round(low) - top - betweenPx);
  return {
    left: Math.round(left),
    top: to < from ? top : Math.min(top, Math.round(low) - height),
    width: Math.max(1, Math.round(barPx - besidePx)),
    height,
  };
}

function paintLines(plot: uPlot, { look, series, layers, colors }: Paint): void {
  const { ctx } = plot;
  // Round joins of thousands of points take longer than all else, and cannot be seen.
  const isCrowded = (layers[0]?.to.length ?? 0) > plot.bbox.width / 4;
  ctx.lineJoin = isCrowded ? "bevel" : "round";
  ctx.lineCap = isCrowded ? "butt" : "round";
  const isAlone = layers.filter(({ series: index }) => !series[index]!.isPrevious).length === 1;
  // The first series lies on top.
  for (const layer of [...layers].reverse()) {
    const { isPrevious } = series[layer.series]!;
    ctx.fillStyle = colors[layer.series]!;
    ctx.strokeStyle = colors[layer.series]!;
    ctx.globalAlpha = isPrevious ? PALE : 1;
    if ((look === "area" || isAlone) && !isPrevious) fill(plot, layer, look === "area" ? 0.28 : 0.08);
    ctx.globalAlpha = isPrevious ? PALE : 1;
    stroke(plot, layer, series[layer.series]!);
  }
  ctx.globalAlpha = 1;
}

function fill(plot: uPlot, layer: Layer, alpha: number): void {
  const { ctx } = plot;
  ctx.globalAlpha = alpha;
  for (const [first, last] of runsOf(layer.to)) {
    const forth = pointsOf(plot, layer.to, first, last);
    const back = pointsOf(plot, layer.from, first, last).reverse();
    ctx.beginPath();
    for (const [x, y] of [...forth, ...back]) ctx.lineTo(x, y);
    ctx.fill();
  }
}

function stroke(plot: uPlot, layer: Layer, { values, isPrevious, incomplete = 0 }: Series): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  ctx.lineWidth = (isPrevious ? LINE_PX * 0.85 : LINE_PX) * ratio;
  // The way to the first value of a time that is not over is dashed, too.
  const solidEnd = isPrevious || incomplete === 0 ? values.length - 1 : values.length - 1 - incomplete;
  for (const [first, last] of runsOf(layer.to)) {
    if (first === last) dot(plot, layer.to[first]!, first);
    line(ctx, pointsOf(plot, layer.to, first, Math.min(last, solidEnd)));
    if (last <= solidEnd) continue;
    ctx.setLineDash([3 * ratio, 4 * ratio]);
    line(ctx, pointsOf(plot, layer.to, Math.max(first, solidEnd), last));
    ctx.setLineDash([]);
  }
}

function dot(plot: uPlot, value: number, place: number): void {
  const { ctx } = plot;
  ctx.beginPath();
  ctx.arc(plot.valToPos(place, "x", true), plot.valToPos(value, "y", true), DOT_PX * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
}

function line(ctx: CanvasRenderingContext2D, points: readonly Place[]): void {
  if (points.length < 2) return;
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
}

/** Stretches of places that have values. */
function runsOf(values: readonly (number | null)[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const [place, value] of values.entries()) {
    if (value === null) continue;
    const open = runs.at(-1);
    if (open !== undefined && open[1] === place - 1) open[1] = place;
    else runs.push([place, place]);
  }
  return runs;
}

/** Points of the canvas. Where places crowd, a column of pixels keeps its lowest and its highest, in their order. */
function pointsOf(plot: uPlot, values: readonly (number | null)[], first: number, last: number): Place[] {
  const [x0, y0] = [plot.valToPos(0, "x", true), plot.valToPos(0, "y", true)];
  const [stepX, stepY] = [plot.valToPos(1, "x", true) - x0, slopeOf(plot)];
  const at = (place: number): Place => [x0 + place * stepX, y0 + values[place]! * stepY];
  const columnPx = COLUMN_PX * devicePixelRatio;
  const perColumn = Math.floor(columnPx / stepX);
  if (perColumn < CROWD) return Array.from({ length: last - first + 1 }, (_, index) => at(first + index));
  const kept: Place[] = [at(first)];
  for (let start = first + 1; start < last; start += perColumn) {
    const [low, high] = extremesOf(values, start, Math.min(last - 1, start + perColumn - 1));
    kept.push(at(Math.min(low, high)));
    if (low !== high) kept.push(at(Math.max(low, high)));
  }
  if (last > first) kept.push(at(last));
  return kept;
}

/** Pixels of the canvas for each 1 of the values. */
function slopeOf(plot: uPlot): number {
  const { min = 0, max = 1 } = plot.scales.y as { min?: number; max?: number };
  return -plot.bbox.height / (max - min || 1);
}

/** Where the lowest and the highest value of some places are. */
function extremesOf(values: readonly (number | null)[], first: number, last: number): [low: number, high: number] {
  let [low, high] = [first, first];
  for (let place = first + 1; place <= last; place++) {
    if (values[place]! < values[low]!) low = place;
    if (values[place]! > values[high]!) high = place;
  }
  return [low, high];
}
