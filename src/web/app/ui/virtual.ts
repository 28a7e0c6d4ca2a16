import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { rangeAt, topsOf } from "./rowRange.ts";

interface VirtualOptions {
  count: number;
  /** What scrolls. */
  scroller: RefObject<HTMLElement | null>;
  /** Heights are known, so nothing is measured. A function of its own for each state of the rows. */
  sizePxOf(index: number): number;
  /** Stays in the page wherever it is scrolled to, as what `aria-activedescendant` names must. */
  kept?: number;
}

interface VirtualRow {
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
