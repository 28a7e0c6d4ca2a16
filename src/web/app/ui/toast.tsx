import { signal } from "@preact/signals";
import { Button, IconButton } from "./button.tsx";

interface Toast {
  id: number;
  text: string;
  isProblem: boolean;
  action?: ToastAction;
}

/** What can be done about it, such as "Undo". */
interface ToastAction {
  label: string;
  onSelect(): void;
}

const SHOWN_MS = 5_000;
/** Time to read, and to reach the button. */
const SHOWN_WITH_ACTION_MS = 12_000;
const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Says in a corner that something was done; a problem stays until it is closed. */
export function toast(
  text: string,
  { isProblem = false, action }: { isProblem?: boolean; action?: ToastAction } = {},
): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text, isProblem, action }];
  if (!isProblem) setTimeout(() => drop(id), action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <output class="toasts" aria-live="polite">
      {toasts.value.map(({ id, text, isProblem, action }) => (
        <div key={id} class={isProblem ? "toast problem" : "toast"}>
          <span>{text}</span>
          {action !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                drop(id);
                action.onSelect();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton label="Close" icon="close" onClick={() => drop(id)} />
        </div>
      ))}
    </output>
  );
}
