import { useEffect, useRef } from "preact/hooks";
import { Button, IconButton } from "../../ui/button.tsx";
import type { Drill } from "../kind.ts";

/** One of the lists of people behind something that was picked. */
export interface PickedList {
  /** Such as "12 converted". */
  label: string;
  drill: Drill;
}

interface PickBarProps {
  title: string;
  lists: readonly PickedList[];
  onDrill(drill: Drill): void;
  onClose(): void;
}

/** Below a chart, where what was picked has several lists of people behind it. It takes the focus, and gives it back. */
export function PickBar({ title, lists, onDrill, onClose }: PickBarProps) {
  const bar = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    const focused = document.activeElement;
    if (!bar.current?.contains(focused)) before.current = focused;
    bar.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [title]);
  const close = () => {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return (
    <section
      ref={bar}
      class="kind-pick"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <span class="kind-pick-title" dir="auto" title={title}>
        {title}
      </span>
      {lists.map(({ label, drill }) => (
        <Button key={label} icon="people" onClick={() => onDrill(drill)}>
          {label}
        </Button>
      ))}
      <IconButton label="Close" icon="close" onClick={close} />
    </section>
  );
}
