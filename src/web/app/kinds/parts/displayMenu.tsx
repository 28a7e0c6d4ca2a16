import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Popover } from "../../ui/popover.tsx";

/** What few change about a chart: behind a button beside its other options. `count`: how many of these are set. */
export function DisplayMenu({ count, children }: { count: number; children: ComponentChildren }) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <span ref={anchor} class="display-menu" tabIndex={-1}>
      <Button icon="settings" aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {count === 0 ? "Display" : `Display · ${count}`}
      </Button>
      {isOpen && (
        <Popover anchor={anchor} label="Display" class="display-box" onClose={() => setOpen(false)}>
          {children}
        </Popover>
      )}
    </span>
  );
}
