import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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

/** The active option: anew with each text; `chosen` begins with the one that is picked already, where nothing was typed. */
export function useActive<T>(options: readonly Option<T>[], text: string, start: "first" | "chosen") {
  const first = () => {
    const chosen = start === "chosen" && text === "" ? options.findIndex((one) => one.isChosen) : -1;
    return Math.max(0, chosen);
  };
  const [at, setAt] = useState(first);
  const isMoved = useRef(false);
  const move = (index: number) => {
    isMoved.current = true;
    setAt(index);
  };
  // Another text begins again.
  useEffect(() => {
    isMoved.current = false;
    setAt(first());
  }, [text]);
  // Options that come late begin again where no key was pressed yet.
  useEffect(() => {
    if (!isMoved.current) setAt(first());
  }, [options.length]);
  return [Math.min(at, options.length - 1), move] as const;
}
