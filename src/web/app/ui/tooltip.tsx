import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useFloating } from "./floating.ts";

interface TooltipProps {
  /** What is said when the pointer rests on it, or it has the focus. */
  text: ComponentChildren;
  children: ComponentChildren;
}

const REST_MS = 400;

/** Says more about what it stands around, which must be something that takes the focus. Escape hides it. */
export function Tooltip({ text, children }: TooltipProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  const [isShown, setShown] = useState(false);
  const show = (afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(true), afterMs);
  };
  const hide = () => {
    clearTimeout(timer.current);
    setShown(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    const target = anchor.current?.firstElementChild;
    if (isShown) target?.setAttribute("aria-describedby", id);
    else target?.removeAttribute("aria-describedby");
  }, [isShown, id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what it stands around has the focus
    <span
      ref={anchor}
      class="tooltip-anchor"
      onPointerEnter={() => show(REST_MS)}
      onPointerLeave={hide}
      onFocusIn={(event) => (event.target as Element).matches(":focus-visible") && show(0)}
      onFocusOut={hide}
      onKeyDown={(event) => event.key === "Escape" && hide()}
    >
      {children}
      {isShown && <Bubble {...{ id, anchor, text }} />}
    </span>
  );
}

function Bubble({
  id,
  anchor,
  text,
}: {
  id: string;
  anchor: { current: HTMLElement | null };
  text: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  useFloating(anchor, ref, "top");
  return (
    <div ref={ref} id={id} popover="manual" role="tooltip" class="tooltip" dir="auto">
      {text}
    </div>
  );
}
