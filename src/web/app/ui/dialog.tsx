import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

interface DialogProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  /** Buttons at the end. */
  footer?: ComponentChildren;
  /** `side`: along the right edge, for lists; `drawer`: along the left one. */
  look?: "middle" | "wide" | "side" | "drawer";
}

/** A window above the page. Escape and a click beside it close it; the focus goes in and comes back. */
export function Dialog({ title, onClose, children, footer, look = "middle" }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  /** The pointer went down beside the window. A selection that ends there began within, and closes nothing. */
  const isBeside = useRef(false);
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    // Else the button that closes it is the first.
    ref.current?.querySelector<HTMLElement>(".dialog-body :is(input, textarea, select):not([hidden])")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={ref}
      class={`dialog ${look}`}
      aria-labelledby={id}
      onClose={onClose}
      onPointerDown={(event) => {
        isBeside.current = event.target === ref.current;
      }}
      onClick={(event) => event.target === ref.current && isBeside.current && onClose()}
    >
      <div class="dialog-box">
        <header>
          <h2 id={id}>{title}</h2>
          <IconButton label="Close" icon="close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {footer !== undefined && <footer>{footer}</footer>}
      </div>
    </dialog>
  );
}
