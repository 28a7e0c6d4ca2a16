import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";

interface VirtualOptions {
  count: number;
  /** What scrolls. */
  scroller: RefObject<HTMLElement | null>;
  /** Heights are known, so nothing is measured. A function of its own for each state of the rows. */
  sizePxOf(index: number): number;
  /** Stays in the page wherever it is scrolled to, as what `aria-activedescendant` names must. */
  kept?: number;
}

export interface VirtualRow {
  index: number;
  topPx: number;
}

interface Virtual {
  /** Those in sight and some beside them, from the top down. */
  rows: readonly VirtualRow[];
  totalPx: number;
  /** Scrolls as far as is needed to see a row whole; `coverPx` of the top are covered, as by a head that sticks. */
  show(index: number, coverPx?: number): void;
}

const BESIDE_PX = 320;
const FIRST_HEIGHT_PX = 480;

/** Those of many rows that are in sight, and where they are. */
export function useVirtual({ count, scroller, sizePxOf, kept = -1 }: VirtualOptions): Virtual {
  const [view, setView] = useState({ topPx: 0, heightPx: FIRST_HEIGHT_PX });
  const tops = useMemo(() => topsOf(count, sizePxOf), [count, sizePxOf]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const look = () => setView({ topPx: box.scrollTop, heightPx: Math.max(box.clientHeight, FIRST_HEIGHT_PX) });
    const sizes = new ResizeObserver(look);
    sizes.observe(box);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [scroller]);
  const totalPx = tops[count] ?? 0;
  // A list that became shorter stands at its end.
  const topPx = Math.min(view.topPx, Math.max(0, totalPx - view.heightPx));
  const { from, to } = rangeAt(tops, topPx - BESIDE_PX, topPx + view.heightPx + BESIDE_PX);
  const indices = Array.from({ length: to - from }, (_, at) => from + at);
  if (kept >= 0 && kept < from) indices.unshift(kept);
  if (kept >= to && kept < count) indices.push(kept);
  return {
    rows: indices.map((index) => ({ index, topPx: tops[index]! })),
    totalPx,
    show(index, coverPx = 0) {
      const box = scroller.current;
      if (box === null || index < 0 || index >= count) return;
      const [start, end] = [tops[index]! - coverPx, tops[index + 1]!];
      if (start < box.scrollTop) box.scrollTop = start;
      else if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight;
    },
  };
}

/** Where each row begins, and the end of the last. */
function topsOf(count: number, sizePxOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) tops[index + 1] = tops[index]! + sizePxOf(index);
  return tops;
}

/** The rows, from and up to without, that have a part between two heights. */
export function rangeAt(tops: Float64Array, startPx: number, endPx: number): { from: number; to: number } {
  const count = tops.length - 1;
  const from = firstWhere(count, (index) => tops[index + 1]! > startPx);
  const to = firstWhere(count, (index) => tops[index]! >= endPx);
  return { from: Math.min(from, to), to };
}

/** The first index for which something holds that holds for all after it; the count where it holds for none. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
