import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Option, type OptionGroup, optionId } from "./listbox.tsx";

/** What a text with a list of options takes. */
export interface ComboProps<T> {
  /** What is looked for: "Event". Readers of screens get it. */
  label: string;
  /** What was typed. Which options that leaves is the caller's matter. */
  text: string;
  onText(text: string): void;
  groups: readonly OptionGroup<T>[];
  onPick(option: Option<T>): void;
  placeholder?: string;
  /** More options are on the way; those that are there stay. */
  isLoading?: boolean;
  /** Said where there are no options. */
  nothing?: ComponentChildren;
  /** Several can be ticked: the list stays open. */
  isMulti?: boolean;
}

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
export function comboboxRole(listId: string, active: number, isOpen: boolean) {
  return {
    type: "text" as const,
    list: undefined,
    role: "combobox" as const,
    autocomplete: "off",
    spellcheck: false,
    dir: "auto" as const,
    "aria-autocomplete": "list" as const,
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? listId : undefined,
    "aria-activedescendant": isOpen && active >= 0 ? optionId(listId, active) : undefined,
  };
}

/** The active option: anew with each text; `chosen` begins with the one that is picked already, where nothing was typed. */
export function useActive<T>(options: readonly Option<T>[], text: string, start: "first" | "chosen" | "none") {
  const first = () => {
    if (start === "none") return -1;
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
