import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { Option } from "./listbox.tsx";
import { Popover } from "./popover.tsx";
import { SearchList, type SearchListProps } from "./searchList.tsx";

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
