import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useComboKeys } from "./comboKeys.ts";
import { Icon } from "./icon.tsx";
import { flatten, Listbox, type Option, type OptionGroup, optionId } from "./listbox.tsx";
import { Popover } from "./popover.tsx";
import { Spinner } from "./spinner.tsx";

export type { Option, OptionGroup } from "./listbox.tsx";

interface ComboProps<T> {
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

interface SearchListProps<T> extends ComboProps<T> {
  /** Between the text and the list, such as a choice of what is listed. */
  head?: ComponentChildren;
  /** Below the list. */
  foot?: ComponentChildren;
}

/**
 * A text with the list of what it leaves below it, always open: the inside of a picker. By keyboard: arrows, PageUp, PageDown,
 * Enter; Home and End move in the text. The first option is the active one, so typing and Enter pick.
 */
export function SearchList<T>({ head, foot, isMulti, ...props }: SearchListProps<T>) {
  const { label, text, onText, groups, onPick, placeholder, isLoading = false, nothing } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const options = flatten(groups);
  const [active, setActive] = useActive(options, text, isMulti ? "first" : "chosen");
  const onKeyDown = useComboKeys({ count: options.length, active, setActive, onEnter: (at) => onPick(options[at]!) });
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <div class="search-list">
      <div class="search-box">
        <Icon name="search" size={14} />
        <input
          ref={input}
          {...comboboxRole(id, active, true)}
          aria-label={label}
          placeholder={placeholder ?? label}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isLoading && <Spinner />}
      </div>
      {head}
      <Listbox {...{ id, label, groups, active, onActive: setActive, onPick, isMulti }} />
      <ListState count={options.length} isLoading={isLoading} nothing={nothing} />
      {foot}
    </div>
  );
}

interface PickerProps<T> extends SearchListProps<T> {
  /** What the button says. */
  children: ComponentChildren;
  look?: "plain" | "quiet";
  /** Opens at once, as after "Add filter". */
  isOpenAtFirst?: boolean;
  /** It was closed, by a pick or without one. */
  onClose?(): void;
}

/** A button that opens a list with search. */
export function Picker<T>({ children, look = "plain", isOpenAtFirst = false, onClose, ...list }: PickerProps<T>) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const open = () => {
    list.onText("");
    setOpen(true);
  };
  const close = () => {
    setOpen(false);
    onClose?.();
  };
  const pick = (option: Option<T>) => {
    list.onPick(option);
    if (list.isMulti) return;
    close();
    anchor.current?.focus();
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        class={`button picker ${look}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : open())}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          open();
        }}
      >
        <span class="picker-text" dir="auto">
          {children}
        </span>
        <Icon name="chevronDown" size={14} />
      </button>
      {isOpen && (
        <Popover anchor={anchor} onClose={close} label={list.label} class="picker-box">
          <SearchList {...list} onPick={pick} />
        </Popover>
      )}
    </>
  );
}

interface ComboboxProps<T> extends ComboProps<T> {
  /** Enter without an active option: the text itself is meant. */
  onEnter?(text: string): void;
  id?: string;
}

/** A text of which the list proposes some: any other text is fine, too. No option is active until an arrow is pressed. */
export function Combobox<T>({ onEnter, id: inputId, isMulti, ...props }: ComboboxProps<T>) {
  const { label, text, onText, groups, onPick, placeholder, isLoading = false, nothing } = props;
  const id = useId();
  const anchor = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const options = flatten(groups);
  const [active, setActive] = useActive(options, text, "none");
  const close = () => setOpen(false);
  const pick = (option: Option<T>) => {
    onPick(option);
    if (!isMulti) close();
  };
  const enter = () => {
    onEnter?.(text);
    close();
  };
  const onKeyDown = useComboKeys({
    count: options.length,
    active,
    setActive,
    isOpen,
    setOpen,
    onEnter: (at) => (at < 0 ? enter() : pick(options[at]!)),
    onClear: () => onText(""),
  });
  const isShown = isOpen && (options.length > 0 || isLoading || nothing !== undefined);
  return (
    <>
      <input
        ref={anchor}
        id={inputId}
        {...comboboxRole(id, active, isShown)}
        aria-label={label}
        class="input"
        placeholder={placeholder}
        value={text}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={close}
        onInput={(event) => {
          onText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      {isShown && (
        <Popover anchor={anchor} onClose={close} class="picker-box">
          <Listbox {...{ id, label, groups, active, onActive: setActive, onPick: pick, isMulti }} />
          <ListState count={options.length} isLoading={isLoading} nothing={nothing} />
        </Popover>
      )}
    </>
  );
}

/** What stands below a list: that it is empty, and for readers of screens how long it is. */
function ListState({ count, isLoading, nothing }: { count: number; isLoading: boolean; nothing?: ComponentChildren }) {
  const isEmpty = count === 0;
  const words = isLoading ? "Loading…" : (nothing ?? "Nothing found");
  return (
    <div role="status" class={isEmpty ? "list-state" : "unseen"}>
      {isEmpty ? words : `${count} ${count === 1 ? "result" : "results"}`}
    </div>
  );
}

function comboboxRole(listId: string, active: number, isOpen: boolean) {
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
function useActive<T>(options: readonly Option<T>[], text: string, start: "first" | "chosen" | "none") {
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
