import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualOptions {
  count: number;
  /** What scrolls. */
  scroller: RefObject<HTMLElement | null>;
  /** Heights are fixed, so nothing is measured. */
  sizePxOf(index: number): number;
  /** Stays in the page wherever it is scrolled to, as what `aria-activedescendant` names must. */
  kept?: number;
  /** Space above the rows within the scroller, such as a head that sticks. */
  startPx?: number;
}

interface Virtual {
  items: readonly VirtualItem[];
  totalPx: number;
  show(index: number): void;
}

const OVERSCAN = 8;
const FIRST_HEIGHT_PX = 400;

/** Those of many rows that are in sight, and where they are. */
export function useVirtual({ count, scroller, sizePxOf, kept = -1, startPx = 0 }: VirtualOptions): Virtual {
  const [, draw] = useState({});
  const ref = useRef<Virtualizer<HTMLElement, Element> | null>(null);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: sizePxOf,
    overscan: OVERSCAN,
    scrollPaddingStart: startPx,
    initialRect: { width: 0, height: FIRST_HEIGHT_PX },
    rangeExtractor: ({ startIndex, endIndex }: { startIndex: number; endIndex: number }) => {
      const from = Math.max(0, startIndex - OVERSCAN);
      const to = Math.min(count - 1, endIndex + OVERSCAN);
      const inSight = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
      if (kept < 0 || kept >= count || (kept >= from && kept <= to)) return inSight;
      return kept < from ? [kept, ...inSight] : [...inSight, kept];
    },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw({}),
  };
  ref.current ??= new Virtualizer(options);
  const virtualizer = ref.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  // Heights may differ under the same indices after a change of the rows.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, sizePxOf]);
  return {
    items: virtualizer.getVirtualItems(),
    totalPx: virtualizer.getTotalSize(),
    show: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
  };
}
