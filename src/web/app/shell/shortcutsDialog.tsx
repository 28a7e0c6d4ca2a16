import { Dialog } from "../ui/dialog.tsx";
import { ENTRIES } from "./entries.ts";

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  ...ENTRIES.map(({ key, label }) => [["g", key], `Go to ${label}`] as const),
  [["n"], "New insight"],
  [["/"], "Search everything, and do things"],
  [["Ctrl", "K"], "The same, also while typing (⌘ K on a Mac)"],
  [["?"], "Show these shortcuts"],
  [["Esc"], "Close a dialog or menu"],
];

/** What the keys do. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>{does}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
