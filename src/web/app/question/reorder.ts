import { useRef, useState } from "preact/hooks";

export interface Reorder {
  /** The item that is dragged; -1: none. */
  dragged: number;
  /** For the element around all items. */
  list: { ref(element: HTMLElement | null): void };
  /** For the handle of an item. */
  handle(index: number): {
    onPointerDown(event: PointerEvent): void;
    onPointerMove(event: PointerEvent): void;
    onPointerUp(): void;
    onPointerCancel(): void;
    onKeyDown(event: KeyboardEvent): void;
  };
}

/**
 * Order by dragging a handle, or by the arrow keys on it. The items are the children of the list that have `data-place`, in order.
 * `onMove` is told while one drags.
 */
export function useReorder(onMove: (from: number, to: number) => void): Reorder {
  const element = useRef<HTMLElement | null>(null);
  const [dragged, setDragged] = useState(-1);
  const place = (yPx: number): number => {
    const items = Array.from(element.current?.querySelectorAll(":scope > [data-place]") ?? []);
    const below = items.findIndex((item) => {
      const { top, height } = item.getBoundingClientRect();
      return yPx < top + height;
    });
    return below < 0 ? items.length - 1 : below;
  };
  const end = () => setDragged(-1);
  const ref = (next: HTMLElement | null) => {
    element.current = next;
  };
  return {
    dragged,
    list: { ref },
    handle: (index) => ({
      onPointerDown(event) {
        if (event.button !== 0) return;
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        setDragged(index);
      },
      onPointerMove(event) {
        if (dragged < 0) return;
        const to = place(event.clientY);
        if (to === dragged || to < 0) return;
        onMove(dragged, to);
        setDragged(to);
      },
      onPointerUp: end,
      onPointerCancel: end,
      onKeyDown(event) {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        onMove(index, index + step);
      },
    }),
  };
}
