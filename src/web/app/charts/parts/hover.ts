import { useState } from "preact/hooks";

interface Hover<T> {
  what: T;
  /** A point of the window. */
  x: number;
  y: number;
}

/** Handlers of a part. */
export interface HoverProps {
  onPointerMove(event: PointerEvent): void;
  onPointerLeave(): void;
  onFocus(event: FocusEvent): void;
  onBlur(): void;
}

/** What of a chart is pointed at, or has the focus by keyboard. `on(part)` gives the handlers of a part. */
export function useHover<T>(): { hover: Hover<T> | null; on(what: T): HoverProps } {
  const [hover, setHover] = useState<Hover<T> | null>(null);
  const off = () => setHover(null);
  const on = (what: T): HoverProps => ({
    onPointerMove: (event) => setHover({ what, x: event.clientX, y: event.clientY }),
    onPointerLeave: off,
    onFocus: ({ currentTarget }) => {
      const part = currentTarget as Element;
      if (!part.matches(":focus-visible")) return;
      const box = part.getBoundingClientRect();
      setHover({ what, x: box.right - Math.min(box.width / 2, 24), y: box.top + box.height / 2 });
    },
    onBlur: off,
  });
  return { hover, on };
}
