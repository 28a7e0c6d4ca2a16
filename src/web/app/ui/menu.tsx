import type { Placement } from "@floating-ui/dom";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Popover } from "./popover.tsx";

export interface MenuItem {
  label: string;
  icon?: IconName;
  /** A place to go to, or something to do. */
  href?: string;
  onSelect?(): void;
  /** One of several choices: whether it is the one that counts. */
  isChosen?: boolean;
  /** A line stands above it. */
  startsGroup?: boolean;
  isDangerous?: boolean;
}

interface MenuProps {
  /** What opens it says this; `label` where that is an icon alone. */
  children?: ComponentChildren;
  icon?: IconName;
  label?: string;
  look?: "plain" | "quiet";
  class?: string;
  placement?: Placement;
  items: readonly MenuItem[];
}

/** A button that opens a list of things to do. By keyboard: arrows, Home, End, Enter, Escape. */
export function Menu({ children, icon, label, look = "quiet", items, placement, ...rest }: MenuProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const done = () => {
    close();
    // A window that opens now gives the focus back to it.
    anchor.current?.querySelector("button")?.focus();
  };
  return (
    <span ref={anchor} class={`menu ${rest.class ?? ""}`}>
      <Button
        look={look}
        icon={icon}
        aria-label={children === undefined || children === null ? label : undefined}
        title={children === undefined ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </Button>
      {isOpen && (
        <Popover anchor={anchor} onClose={close} placement={placement}>
          <MenuList items={items} onDone={done} onLeave={close} label={label} />
        </Popover>
      )}
    </span>
  );
}

interface MenuListProps {
  items: readonly MenuItem[];
  label?: string;
  /** Something is chosen. */
  onDone(): void;
  /** The focus goes on. */
  onLeave(): void;
}

function MenuList({ items, onDone, onLeave, label }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const all = () => Array.from(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []);
  useEffect(() => all()[0]?.focus(), []);
  const move = (event: KeyboardEvent) => {
    const entries = all();
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (event.key === "Tab") onLeave();
    if (next === undefined) return;
    event.preventDefault();
    entries[(next + entries.length) % entries.length]?.focus();
  };
  return (
    <div ref={list} role="menu" aria-label={label} class="menu-list" onKeyDown={move} tabIndex={-1}>
      {items.map((item) => (
        <MenuEntry key={item.label} item={item} onDone={onDone} />
      ))}
    </div>
  );
}

function MenuEntry({ item, onDone }: { item: MenuItem; onDone(): void }) {
  const { label, icon, href, isChosen, isDangerous = false, startsGroup = false } = item;
  const shared = {
    ...(isChosen === undefined
      ? { role: "menuitem" as const }
      : { role: "menuitemradio" as const, "aria-checked": isChosen }),
    tabIndex: -1,
    class: `${isDangerous ? "danger" : ""} ${startsGroup ? "starts-group" : ""}`,
  };
  const inner = (
    <>
      {icon !== undefined && <Icon name={icon} />}
      <span dir="auto">{label}</span>
      {isChosen && <Icon name="check" />}
    </>
  );
  const done = () => {
    onDone();
    item.onSelect?.();
  };
  if (href !== undefined) {
    return (
      <a {...shared} href={href} onClick={done}>
        {inner}
      </a>
    );
  }
  return (
    <button type="button" {...shared} onClick={done}>
      {inner}
    </button>
  );
}
