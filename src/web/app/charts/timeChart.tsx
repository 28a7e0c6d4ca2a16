import { useContext, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isDark } from "../session/theme.ts";
import { Chunk, useChunk } from "./parts/chunk.tsx";
import { CoverContext, type PlotFrame, type Times } from "./parts/cover.ts";
import { useSize } from "./parts/size.ts";
import type { BoxSize, Format, Point, Series } from "./parts/types.ts";
import { useCursor } from "./time/cursor.ts";
import { EndLabels, fitEndLabels } from "./time/endLabels.tsx";
import { type At, moveByKey } from "./time/keys.ts";
import { Legend } from "./time/legend.tsx";
import { PlaceTip } from "./time/placeTip.tsx";
import type { Plot } from "./time/plot.ts";
import { chartName, valueText } from "./time/words.ts";

interface TimeChartProps {
  /** The label of each place, such as "3 May". */
  axis: readonly string[];
  /** Each place in full, such as "Sun 3 May 2026"; the labels where it is absent. */
  titles?: readonly string[];
  series: readonly Series[];
  /** `bar`: side by side; `stacked`, `area`: on top of each other; values below zero go downwards. */
  look: "line" | "area" | "bar" | "stacked";
  format: Format;
  /** Short, for the axis of values. */
  formatShort?: Format;
  /** The largest value of the axis where that is known, such as 1 for ratios. */
  max?: number;
  /** Charts with equal keys show the same place when the pointer is over one of them. */
  syncKey?: string;
  /** Its series have their names elsewhere: there is no legend. */
  isNamedElsewhere?: boolean;
  /** What the chart is about, for readers of screens. */
  label?: string;
  /** The times of the places: where they are known a page can lay something over the plot. */
  times?: Times;
  onPick?(point: Point): void;
}

/** Below this nothing could be read. */
const LEAST: BoxSize = { width: 48, height: 40 };
const WITHOUT_LABELS_PX = 12;
const plots = new Chunk(() => import("./time/plot.ts"));

/** Values over time. It fills its parent, whose height is set; by keyboard: arrows move over the places, Enter picks. */
export function TimeChart(props: TimeChartProps) {
  const { axis, series, look, max, isNamedElsewhere = false } = props;
  const figure = useRef<HTMLElement>(null);
  const size = useSize(figure);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => series.flatMap(({ key }, index) => (hidden.has(key) ? [] : [index])), [series, hidden]);
  const fit = useMemo(() => {
    const isPossible = size !== null && shown.length === series.length && !isNamedElsewhere;
    return isPossible ? fitEndLabels({ series, shown, look, max, size }) : null;
  }, [series, shown, look, max, size, isNamedElsewhere]);
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };
  return (
    <figure ref={figure} class="time-chart">
      {size !== null && series.length > 0 && axis.length > 0 && (
        <>
          <PlotArea {...props} shown={shown} rightPx={fit?.widthPx ?? WITHOUT_LABELS_PX} />
          {fit !== null && <EndLabels fit={fit} series={series} />}
          {fit === null && !isNamedElsewhere && <Legend series={series} hidden={hidden} onToggle={toggle} />}
        </>
      )}
      {(series.length === 0 || axis.length === 0) && <p class="chart-empty">Nothing to draw</p>}
    </figure>
  );
}

function PlotArea(props: TimeChartProps & { shown: readonly number[]; rightPx: number }) {
  const { axis, titles = axis, series, shown, look, format, times, onPick } = props;
  const cover = useContext(CoverContext);
  const isCovered = cover !== null && times !== undefined;
  const [frame, setFrame] = useState<PlotFrame | null>(null);
  const [isUsed, setUsed] = useState(false);
  const [asked, setAsked] = useState<{ index: number } | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const hint = useId();
  const size = useSize(host);
  const isVisible = size !== null && size.width >= LEAST.width && size.height >= LEAST.height;
  const { loaded, problem } = useChunk(plots);
  const onDrawn = (drawn: PlotFrame) => {
    if (isCovered) setFrame(drawn);
  };
  const plot = usePlot(host, { ...props, size: isVisible ? size : null, draw: loaded?.drawPlot, onDrawn });
  const cursor = useCursor(plot, host, props);
  const { at } = cursor;

  const pick = (place: At | null) => {
    if (place !== null && place.series >= 0) onPick?.({ series: place.series, index: place.index });
  };
  // What a key opened takes the focus away, and gives it back.
  const picked = useRef<At | null>(null);
  const comeBack = () => {
    setUsed(true);
    const place = picked.current;
    picked.current = null;
    if (place !== null && cursor.isThere(place)) cursor.goTo(place);
  };
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && at !== null) cursor.leave();
    else if (event.key === "a" && isCovered && cover.mayAdd) {
      const place = at ?? { index: axis.length - 1, series: -1 };
      picked.current = { index: place.index, series: place.series };
      setAsked({ index: place.index });
    } else if ((event.key === "Enter" || event.key === " ") && at !== null) {
      picked.current = { index: at.index, series: at.series };
      pick(at);
    } else {
      const next = moveByKey(event.key, at, { series, shown, places: axis.length });
      if (next === undefined) return;
      cursor.goTo(next);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        ref={host}
        class={onPick === undefined ? "time-plot" : "time-plot pickable"}
        role="slider"
        tabIndex={0}
        aria-label={chartName(props)}
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={axis.length - 1}
        aria-valuenow={at?.index ?? axis.length - 1}
        aria-valuetext={valueText({ titles, series, format, at })}
        onPointerMove={(event) => {
          setUsed(true);
          cursor.follow(event);
        }}
        onPointerLeave={cursor.clear}
        onClick={(event) => pick(cursor.pointedAt(event))}
        onKeyDown={key}
        onFocus={comeBack}
        onBlur={cursor.leave}
      />
      {problem}
      <span id={hint} class="unseen">
        Arrow keys move over places and series.{onPick !== undefined && " Enter shows what is behind a value."}
        {isCovered && cover.mayAdd && " A adds an annotation."}
      </span>
      {isCovered && frame !== null && <cover.Layer {...times} frame={frame} isUsed={isUsed} asked={asked} />}
      {at !== null && (
        <PlaceTip {...{ ...at, title: titles[at.index]!, chosen: at.series, series, shown, look, format }} />
      )}
    </>
  );
}

/** Draws anew when something else is to be drawn; a new size alone keeps the plot. */
function usePlot(
  host: { current: HTMLDivElement | null },
  o: TimeChartProps & {
    shown: readonly number[];
    rightPx: number;
    size: BoxSize | null;
    draw: typeof import("./time/plot.ts").drawPlot | undefined;
    onDrawn(frame: PlotFrame): void;
  },
) {
  const plot = useRef<Plot | null>(null);
  const { axis, series, shown, look, max, syncKey, rightPx, size, draw } = o;
  const formats = useRef(o);
  formats.current = o;
  const dark = isDark.value;
  const isDrawn = size !== null && draw !== undefined;
  useLayoutEffect(() => {
    if (!isDrawn) return;
    const format = (value: number) => (formats.current.formatShort ?? formats.current.format)(value);
    const onDrawn = (frame: PlotFrame) => formats.current.onDrawn(frame);
    plot.current = draw(host.current!, { axis, series, shown, look, max, syncKey, rightPx, size, format, onDrawn });
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [isDrawn, axis, series, shown, look, max, syncKey, rightPx, dark, size?.height]);
  useLayoutEffect(() => {
    if (size !== null) plot.current?.resize(size);
  }, [size]);
  return plot;
}
