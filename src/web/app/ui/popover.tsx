import { autoUpdate, computePosition, flip, offset, type Placement, shift, size } from "@floating-ui/dom";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const GAP_PX = 4;
const EDGE_PX = 8;

interface PopoverProps {
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
  children: ComponentChildren;
  placement?: Placement;
  class?: string;
  /** Absent: it is no dialog of its own, as the list below a text whose focus stays there. */
  label?: string;
}

/** A box beside its anchor, above everything. Escape, and a press elsewhere, close it. */
export function Popover({ anchor, onClose, children, placement = "bottom-start", label, ...rest }: PopoverProps) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = ref.current;
    const at = anchor.current;
    if (box === null || at === null) return;
    box.showPopover();
    const place = async () => {
      const { x, y } = await computePosition(at, box, {
        placement,
        strategy: "fixed",
        middleware: [offset(GAP_PX), flip({ padding: EDGE_PX }), shift({ padding: EDGE_PX }), fit],
      });
      Object.assign(box.style, { left: `${x}px`, top: `${y}px` });
    };
    return autoUpdate(at, box, place);
  }, [anchor, placement]);
  useEffect(() => {
    const press = (event: PointerEvent) => {
      const target = event.target as Node;
      if (ref.current?.contains(target) || anchor.current?.contains(target)) return;
      // What was opened from within it lies beside it in the page.
      if ((target as Element).closest?.("[popover]")) return;
      onClose();
    };
    document.addEventListener("pointerdown", press, true);
    return () => document.removeEventListener("pointerdown", press, true);
  }, [anchor, onClose]);
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    onClose();
    focusIn(anchor.current);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape comes here from whatever is in the box
    <div
      ref={ref}
      popover="manual"
      class={`popover ${rest.class ?? ""}`}
      {...(label !== undefined && { role: "dialog", "aria-label": label })}
      onKeyDown={key}
    >
      {children}
    </div>
  );
}

/** The anchor, or what can be focused in it. */
export function focusIn(anchor: HTMLElement | null): void {
  if (anchor === null) return;
  const inner = anchor.matches("button, input, a") ? anchor : anchor.querySelector<HTMLElement>("button, input, a");
  (inner ?? anchor).focus();
}

/** Never higher than the window. */
const fit = size({
  padding: EDGE_PX,
  apply({ availableHeight, elements }) {
    elements.floating.style.maxHeight = `${Math.max(120, availableHeight)}px`;
  },
});
