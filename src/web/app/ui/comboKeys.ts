import { target } from "./optionMoves.ts";

interface ComboKeys {
  /** How many options there are. */
  count: number;
  /** -1: none. */
  active: number;
  setActive(index: number): void;
  /** Enter on an option. */
  onEnter(index: number): void;
}

/** What keys do in the text above a list, by the ARIA Authoring Practices. Home, End and letters are the text's own. */
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
function press(event: KeyboardEvent, { count, active, setActive, onEnter }: ComboKeys): boolean {
  if (event.key === "Enter") {
    if (active >= 0) onEnter(active);
    return true;
  }
  const next = target(event.key, active, count);
  if (next === null) return false;
  if (!event.altKey && count > 0) setActive(next);
  return true;
}
