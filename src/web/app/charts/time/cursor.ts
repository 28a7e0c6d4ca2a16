import { useState } from "preact/hooks";
import type { Series } from "../parts/types.ts";
import type { At } from "./keys.ts";
import type { Plot } from "./plot.ts";

/** A place that is pointed at, or reached by keyboard; `x` and `y` of the window. */
export interface Cursor extends At {
  x: number;
  y: number;
}

/** The cursor of a plot, which the pointer or the keyboard moves. */
export function useCursor(
  plot: { current: Plot | null },
  host: { current: HTMLElement | null },
  { axis, series }: { axis: readonly string[]; series: readonly Series[] },
) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const isThere = (place: At) => place.index < axis.length && place.series < series.length;
  const pointedAt = (event: MouseEvent): Cursor | null => {
    const drawn = plot.current;
    if (drawn === null) return null;
    const box = drawn.over.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    if (left < 0 || top < 0 || left > box.width || top > box.height) return null;
    const index = drawn.indexAt(left);
    return { index, series: drawn.seriesAt(index, left, top), x: box.left + drawn.leftOf(index), y: event.clientY };
  };
  return {
    /** What was pointed at may be gone with the values. */
    at: cursor !== null && isThere(cursor) ? cursor : null,
    isThere,
    pointedAt,
    follow(event: PointerEvent): void {
      const next = pointedAt(event);
      setCursor(next);
      // uPlot follows a mouse by itself, but no finger.
      if (event.pointerType !== "mouse" && next !== null) plot.current?.moveTo({ index: next.index, top: 0 });
    },
    goTo(next: At): void {
      const drawn = plot.current;
      const box = (drawn?.over ?? host.current!).getBoundingClientRect();
      const top = drawn?.topAt(next) ?? 0;
      drawn?.moveTo({ index: next.index, top });
      setCursor({ ...next, x: box.left + (drawn?.leftOf(next.index) ?? 0), y: box.top + top });
    },
    /** Forgets the place. */
    clear: () => setCursor(null),
    /** The same, and the plot shows none either. */
    leave(): void {
      setCursor(null);
      plot.current?.moveTo(null);
    },
  };
}
