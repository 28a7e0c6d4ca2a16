import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Box } from "./layout.ts";

/** The height of a row and the gap between tiles; board.css has the same. */
export const ROW_PX = 56;
export const GAP_PX = 12;
const MOTION_MS = 120;

interface GridProps {
  boxes: readonly Box[];
  /** In this order tiles stand in the page; they keep it while one of them is dragged. */
  order: readonly number[];
  /** The one that is held, whose place is shown empty. */
  held?: number | null;
  render(id: number): ComponentChildren;
}

/** Tiles in their places on twelve columns; in one column, in reading order, where it is narrow. */
export function Grid({ boxes, order, held = null, render }: GridProps) {
  const ref = useRef<HTMLDivElement>(null);
  const places = new Map(boxes.map((box) => [box.id, box]));
  const isMoving = held !== null;
  useGlide(ref, boxes, isMoving, held);
  return (
    <div ref={ref} class="board-grid">
      {order.map((id) => {
        const box = places.get(id);
        if (box === undefined) return null;
        return (
          <div key={id} class="board-cell" data-tile={id} style={styleOf(box)}>
            {render(id)}
          </div>
        );
      })}
      {isMoving && places.has(held) && <div class="board-hole" style={styleOf(places.get(held)!)} />}
    </div>
  );
}

const styleOf = ({ x, y, w, h }: Box) => ({
  "--column": `${x + 1} / span ${w}`,
  "--row": `${y + 1} / span ${h}`,
  "--rows": h,
});

/** Lets tiles that make room glide to their new places. */
function useGlide(
  ref: { current: HTMLDivElement | null },
  boxes: readonly Box[],
  isMoving: boolean,
  held: number | null,
): void {
  const before = useRef(new Map<string, { left: number; top: number }>());
  useLayoutEffect(() => {
    const now = new Map<string, { left: number; top: number }>();
    if (!isMoving) {
      before.current = now;
      return;
    }
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const cell of ref.current?.querySelectorAll<HTMLElement>(".board-cell") ?? []) {
      const id = cell.dataset.tile ?? "";
      const place = { left: cell.offsetLeft, top: cell.offsetTop };
      const old = before.current.get(id);
      now.set(id, place);
      if (old === undefined || isCalm || id === String(held)) continue;
      const [dx, dy] = [old.left - place.left, old.top - place.top];
      if (dx === 0 && dy === 0) continue;
      cell.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], {
        duration: MOTION_MS,
        easing: "ease-out",
      });
    }
    before.current = now;
  }, [boxes, isMoving]);
}
