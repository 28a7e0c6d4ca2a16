import type { Placement } from "@floating-ui/dom";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useFloating } from "./floating.ts";

interface PopoverProps {
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
  children: ComponentChildren;
  placement?: Placement;
  class?: string;
  /** Absent: it is no dialog of its own, as the list below a text whose focus stays there. */
  label?: string;
}

/** A box beside its anchor, above everything. Escape, a press elsewhere, and the focus that goes on, close it. */
export function Popover({ anchor, onClose, children, placement = "bottom-start", label, ...rest }: PopoverProps) {
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, placement);
  const isInside = (target: EventTarget | null) => {
    if (!(target instanceof Element)) return false;
    if (ref.current?.contains(target) || anchor.current?.contains(target)) return true;
    // What was opened from within it may lie beside it in the page.
    return target.closest("[popover], dialog") !== null && !target.closest("[popover], dialog")?.contains(ref.current);
  };
  useEffect(() => {
    const press = (event: PointerEvent) => {
      if (!isInside(event.target)) onClose();
    };
    document.addEventListener("pointerdown", press, true);
    return () => document.removeEventListener("pointerdown", press, true);
  });
  const leave = (event: FocusEvent) => {
    if (event.relatedTarget !== null && !isInside(event.relatedTarget)) onClose();
  };
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
      // A press on its ground keeps the focus in it, and so Escape.
      tabIndex={-1}
      class={`popover ${rest.class ?? ""}`}
      {...(label !== undefined && { role: "dialog", "aria-label": label })}
      onKeyDown={key}
      onFocusOut={leave}
    >
      {children}
    </div>
  );
}

/** The anchor, or what can be focused in it. */
function focusIn(anchor: HTMLElement | null): void {
  if (anchor === null) return;
  const inner = anchor.matches("button, input, a") ? anchor : anchor.querySelector<HTMLElement>("button, input, a");
  (inner ?? anchor).focus();
}
