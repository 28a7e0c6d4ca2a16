import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const PARTS = "[data-at]";

/**
 * One stop of the Tab key for a whole chart: the arrows move between its parts, Home and End to the first and the last of a
 * row. A part has `data-at="row,column"` and tabIndex -1; a list is a single column.
 */
export function useRoving(ref: RefObject<HTMLElement | SVGElement | null>): void {
  // After every rendering: parts come and go.
  useLayoutEffect(() => {
    const parts = partsOf(ref.current);
    if (parts.length > 0 && !parts.some((part) => part.tabIndex === 0)) parts[0]!.tabIndex = 0;
  });
  useLayoutEffect(() => {
    const root = ref.current as HTMLElement | null;
    if (root === null) return;
    const focus = ({ target }: FocusEvent) => {
      const part = (target as Element).closest<HTMLElement>(PARTS);
      if (part === null) return;
      for (const other of partsOf(root)) if (other.tabIndex === 0) other.tabIndex = -1;
      part.tabIndex = 0;
    };
    const key = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const part = (event.target as Element).closest<HTMLElement>(PARTS);
      if (part === null) return;
      const next = neighbour(partsOf(root), part, event.key);
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    };
    root.addEventListener("focusin", focus);
    root.addEventListener("keydown", key);
    return () => {
      root.removeEventListener("focusin", focus);
      root.removeEventListener("keydown", key);
    };
  }, [ref]);
}

const partsOf = (root: Element | null): HTMLElement[] => Array.from(root?.querySelectorAll<HTMLElement>(PARTS) ?? []);

const placeOf = (part: HTMLElement): [row: number, column: number] => {
  const [row = 0, column = 0] = part.dataset.at!.split(",").map(Number);
  return [row, column];
};

function neighbour(parts: HTMLElement[], from: HTMLElement, key: string): HTMLElement | undefined {
  const [row, column] = placeOf(from);
  const places = parts.map((part) => ({ part, at: placeOf(part) }));
  const inRow = places.filter(({ at }) => at[0] === row).sort((a, b) => a.at[1] - b.at[1]);
  const index = inRow.findIndex(({ part }) => part === from);
  switch (key) {
    case "ArrowRight":
      return inRow[index + 1]?.part;
    case "ArrowLeft":
      return inRow[index - 1]?.part;
    case "Home":
      return inRow.length > 1 ? inRow[0]?.part : parts[0];
    case "End":
      return inRow.length > 1 ? inRow.at(-1)?.part : parts.at(-1);
    case "ArrowDown":
    case "ArrowUp": {
      const step = key === "ArrowDown" ? 1 : -1;
      const beyond = places.filter(({ at }) => (at[0] - row) * step > 0);
      if (beyond.length === 0) return undefined;
      const nearest = Math.min(...beyond.map(({ at }) => Math.abs(at[0] - row)));
      const candidates = beyond.filter(({ at }) => Math.abs(at[0] - row) === nearest);
      return candidates.sort((a, b) => Math.abs(a.at[1] - column) - Math.abs(b.at[1] - column))[0]!.part;
    }
    default:
      return undefined;
  }
}
