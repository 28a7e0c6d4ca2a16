import { useId, useRef, useState } from "preact/hooks";
import { useComboKeys } from "./comboKeys.ts";
import { type ComboProps, comboboxRole, ListState, useActive } from "./comboParts.tsx";
import { flatten, Listbox, type Option } from "./listbox.tsx";
import { Popover } from "./popover.tsx";

export type { Option, OptionGroup } from "./listbox.tsx";
export { Picker } from "./picker.tsx";
export { SearchList } from "./searchList.tsx";

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
