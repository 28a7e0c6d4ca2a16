import { signal } from "@preact/signals";
import { IconButton } from "./button.tsx";

interface Toast {
  id: number;
  text: string;
  isProblem: boolean;
}

const SHOWN_MS = 5_000;
const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says in a corner that something was done; a problem stays until it is closed. */
export function toast(text: string, { isProblem = false } = {}): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text, isProblem }];
  if (!isProblem) setTimeout(() => drop(id), SHOWN_MS);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <output class="toasts" aria-live="polite">
      {toasts.value.map(({ id, text, isProblem }) => (
        <div key={id} class={isProblem ? "toast problem" : "toast"}>
          {text}
          <IconButton label="Close" icon="close" onClick={() => drop(id)} />
        </div>
      ))}
    </output>
  );
}
