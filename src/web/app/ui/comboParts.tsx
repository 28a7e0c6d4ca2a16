import type { ComponentChildren } from "preact";
import { useReducer, useRef } from "preact/hooks";
import { type Option, optionId } from "./listbox.tsx";

/** What stands below a list: that it is empty, and for readers of screens how long it is. */
export function ListState({
  count,
  isLoading,
  nothing,
}: {
  count: number;
  isLoading: boolean;
  nothing?: ComponentChildren;
}) {
  const isEmpty = count === 0;
  const words = isLoading ? "Loading…" : (nothing ?? "Nothing found");
  return (
    <div role="status" class={isEmpty ? "list-state" : "unseen"}>
      {isEmpty ? words : `${count} ${count === 1 ? "result" : "results"}`}
    </div>
  );
}

/** What readers of screens are told of the text of a combobox. */
export function comboboxRole(listId: string, active: number) {
  return {
    type: "text" as const,
    list: undefined,
    role: "combobox" as const,
    autocomplete: "off",
    spellcheck: false,
    dir: "auto" as const,
    "aria-autocomplete": "list" as const,
    "aria-expanded": true,
    "aria-controls": listId,
    "aria-activedescendant": active >= 0 ? optionId(listId, active) : undefined,
  };
}

/**
 * The active option: anew with each text; `chosen` begins with the one that is picked already, where nothing was typed. What a text
 * leaves and what is active change together: Enter may follow a letter before the list is drawn.
 */
export function useActive<T>(options: readonly Option<T>[], text: string, start: "first" | "chosen") {
  // Null: nobody moved since the text is this one, so options that come late begin again.
  const place = useRef<{ text: string; at: number | null }>({ text, at: null });
  const [, redraw] = useReducer((count: number, _: null) => count + 1, 0);
  if (place.current.text !== text) place.current = { text, at: null };
  const move = (at: number) => {
    place.current = { text, at };
    redraw(null);
  };
  const chosen = start === "chosen" && text === "" ? options.findIndex((one) => one.isChosen) : -1;
  const at = place.current.at ?? Math.max(0, chosen);
  return [Math.min(at, options.length - 1), move] as const;
}
