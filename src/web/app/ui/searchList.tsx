import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useComboKeys } from "./comboKeys.ts";
import { comboboxRole, ListState, useActive } from "./comboParts.tsx";
import { Icon } from "./icon.tsx";
import { flatten, Listbox, type Option, type OptionGroup } from "./listbox.tsx";
import { Spinner } from "./spinner.tsx";

export interface SearchListProps<T> {
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
          {...comboboxRole(id, active)}
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
