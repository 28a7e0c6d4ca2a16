import { target } from "./optionMoves.ts";

interface ComboKeys {
  /** How many options there are. */
  count: number;
  /** -1: none. */
  active: number;
  setActive(index: number): void;
  /** Enter; -1 where no option is active. */
  onEnter(index: number): void;
  /** Absent where the list is always open. */
  isOpen?: boolean;
  setOpen?(isOpen: boolean): void;
  /** Escape with a closed list. */
  onClear?(): void;
}

/** What keys do in the text of a combobox, by the ARIA Authoring Practices. Home, End and letters are the text's own. */
export function useComboKeys(keys: ComboKeys): (event: KeyboardEvent) => void {
  return (event) => {
    // Some languages are written with the same keys.
    if (event.isComposing) return;
    if (!press(event, keys)) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

/** Whether the key meant the list. */
function press(event: KeyboardEvent, keys: ComboKeys): boolean {
  const { count, active, setActive, onEnter, isOpen = true, setOpen, onClear } = keys;
  if (event.key === "Enter") {
    if (active < 0 && setOpen === undefined) return true;
    onEnter(isOpen ? active : -1);
    return true;
  }
  if (event.key === "Escape" && setOpen !== undefined) {
    if (!isOpen) onClear?.();
    setOpen(false);
    // A closed list leaves Escape to what stands around.
    return isOpen;
  }
  if (event.altKey && event.key === "ArrowUp" && setOpen !== undefined) {
    setOpen(false);
    return true;
  }
  const next = target(event.key, active, count);
  if (next === null) return false;
  if (!isOpen) setOpen?.(true);
  if (!event.altKey && count > 0) setActive(next);
  return true;
}
