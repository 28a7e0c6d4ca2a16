import { autoUpdate, computePosition, flip, offset, type Placement, shift, size } from "@floating-ui/dom";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const GAP_PX = 4;
const EDGE_PX = 8;
const LEAST_HEIGHT_PX = 120;

type Ref = RefObject<HTMLElement | null>;

/** Shows a box with the `popover` attribute beside its anchor, and keeps it there. */
export function useFloating(anchor: Ref, box: Ref, placement: Placement): void {
  useLayoutEffect(() => {
    const [at, floating] = [anchor.current, box.current];
    if (at === null || floating === null) return;
    floating.showPopover();
    return autoUpdate(at, floating, () => void place(at, floating, placement));
  }, [anchor, box, placement]);
}

async function place(at: HTMLElement, box: HTMLElement, placement: Placement): Promise<void> {
  const { x, y } = await computePosition(at, box, {
    placement,
    strategy: "fixed",
    middleware: [offset(GAP_PX), flip({ padding: EDGE_PX }), shift({ padding: EDGE_PX }), fit],
  });
  Object.assign(box.style, { left: `${x}px`, top: `${y}px` });
}

/** Never higher than the window. */
const fit = size({
  padding: EDGE_PX,
  apply({ availableHeight, elements }) {
    elements.floating.style.maxHeight = `${Math.max(LEAST_HEIGHT_PX, availableHeight)}px`;
  },
});
