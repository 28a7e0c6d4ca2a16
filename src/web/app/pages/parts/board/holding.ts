import { useEffect, useRef, useState } from "preact/hooks";
import { GAP_PX, ROW_PX } from "./grid.tsx";
import { type Box, COLUMNS, changed, move, resize, step } from "./layout.ts";

/** What a grip of a tile does: moves it, or drags one of its edges. */
export type Grip = "move" | "e" | "s" | "w" | "se" | "sw";

interface Held {
  id: number;
  /** The board while it is held. */
  boxes: readonly Box[];
}

interface HoldingProps {
  boxes: readonly Box[];
  /** The board as it is to be kept. */
  onDrop(boxes: readonly Box[]): void;
  /** Says to readers of screens what a key did. */
  announce(text: string): void;
}

interface Holding {
  held: Held | null;
  grab(event: PointerEvent, id: number, grip: Grip): void;
  /** Arrows move a tile; with Shift they change its size. */
  key(event: KeyboardEvent, id: number): void;
}

/** At this distance from the upper and lower edge of the window the page scrolls under a tile that is dragged. */
const EDGE_PX = 64;
const SCROLL_PX = 14;

/** Dragging and resizing of tiles with a pointer or by keyboard. Escape puts everything back. */
export function useHolding({ boxes, onDrop, announce }: HoldingProps): Holding {
  const [held, setHeld] = useState<Held | null>(null);
  const end = useRef<(() => void) | null>(null);
  useEffect(() => () => end.current?.(), []);

  function grab(event: PointerEvent, id: number, grip: Grip): void {
    const cell = (event.currentTarget as HTMLElement).closest<HTMLElement>(".board-cell");
    const start = boxes.find((box) => box.id === id);
    if (event.button !== 0 || cell?.parentElement == null || start === undefined) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).focus();
    const rowPx = ROW_PX + GAP_PX;
    const grid = cell.parentElement;
    const columnPx = (grid.clientWidth + GAP_PX) / COLUMNS;
    const scroller = document.documentElement;
    const from = { x: event.clientX + scroller.scrollLeft, y: event.clientY + scroller.scrollTop };
    let pointer = { x: event.clientX, y: event.clientY };
    let shown = boxes;
    let frame = 0;
    const follow = () => {
      const dx = pointer.x + scroller.scrollLeft - from.x;
      const dy = pointer.y + scroller.scrollTop - from.y;
      const [columns, rows] = [Math.round(dx / columnPx), Math.round(dy / rowPx)];
      const next =
        grip === "move"
          ? move(boxes, id, { x: start.x + columns, y: start.y + rows })
          : resize(boxes, id, edges(start, grip, columns, rows));
      if (changed(shown, next).length > 0) {
        shown = next;
        setHeld({ id, boxes: next });
      }
      if (grip === "move") lift(cell, shown.find((box) => box.id === id)!, start, { dx, dy, columnPx, rowPx });
    };
    const scroll = () => {
      const isAtEnd = pointer.y > window.innerHeight - EDGE_PX;
      // Not beyond the last tile: the one that is held would make the page longer and longer.
      const hasMore = grid.getBoundingClientRect().bottom > window.innerHeight - EDGE_PX;
      const speed = pointer.y < EDGE_PX ? -SCROLL_PX : isAtEnd && hasMore ? SCROLL_PX : 0;
      if (speed !== 0) {
        scroller.scrollBy(0, speed);
        follow();
      }
      frame = requestAnimationFrame(scroll);
    };
    const moved = (next: PointerEvent) => {
      pointer = { x: next.clientX, y: next.clientY };
      follow();
    };
    const stop = (isKept: boolean) => {
      cancelAnimationFrame(frame);
      listening.abort();
      end.current = null;
      cell.style.transform = "";
      cell.classList.remove("held");
      setHeld(null);
      if (isKept && changed(boxes, shown).length > 0) onDrop(shown);
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener("pointermove", moved, { signal });
    window.addEventListener("scroll", follow, { signal, passive: true, capture: true });
    window.addEventListener("pointerup", () => stop(true), { signal });
    window.addEventListener("pointercancel", () => stop(false), { signal });
    window.addEventListener("blur", () => stop(false), { signal });
    window.addEventListener("keydown", (key) => key.key === "Escape" && stop(false), { signal, capture: true });
    end.current = () => stop(false);
    cell.classList.add("held");
    setHeld({ id, boxes });
    frame = requestAnimationFrame(scroll);
  }

  function key(event: KeyboardEvent, id: number): void {
    const direction = ARROWS[event.key];
    const box = boxes.find((one) => one.id === id);
    if (direction === undefined || box === undefined) return;
    event.preventDefault();
    const [dx, dy] = direction;
    const next = event.shiftKey ? resize(boxes, id, { w: box.w + dx, h: box.h + dy }) : step(boxes, id, dx, dy);
    const after = next.find((one) => one.id === id)!;
    if (changed(boxes, next).length === 0) {
      announce("It cannot go further");
      return;
    }
    announce(
      event.shiftKey
        ? `${after.w} of ${COLUMNS} columns wide, ${after.h} rows high`
        : `Column ${after.x + 1}, row ${after.y + 1}`,
    );
    onDrop(next);
    const grip = event.currentTarget as HTMLElement;
    // In its new place in the reading order it may have lost the focus.
    requestAnimationFrame(() => grip.focus({ preventScroll: document.activeElement === grip }));
  }

  return { held, grab, key };
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function edges(start: Box, grip: Grip, columns: number, rows: number): Partial<Box> {
  const h = grip.includes("s") ? start.h + rows : start.h;
  if (grip.includes("e")) return { w: start.w + columns, h };
  if (!grip.includes("w")) return { h };
  // The right edge stays where it is.
  const x = Math.min(Math.max(0, start.x + columns), start.x + start.w - 2);
  return { x, w: start.x + start.w - x, h };
}

/** Keeps the tile under the pointer while its place is elsewhere. */
function lift(
  cell: HTMLElement,
  place: Box,
  start: Box,
  { dx, dy, columnPx, rowPx }: { dx: number; dy: number; columnPx: number; rowPx: number },
): void {
  // The grid puts it into its new place in the next frame.
  requestAnimationFrame(() => {
    if (!cell.classList.contains("held")) return;
    const x = dx - (place.x - start.x) * columnPx;
    const y = dy - (place.y - start.y) * rowPx;
    cell.style.transform = `translate(${x}px, ${y}px)`;
  });
}
