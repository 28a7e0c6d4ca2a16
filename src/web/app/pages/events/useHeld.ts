import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** Why a list stands still: somebody reads it. */
export type Held = "scrolled" | "pointed" | "focused";
/** What a list tells of that. */
export type HoldHandlers = Pick<
  JSX.IntrinsicElements["section"],
  "onScroll" | "onPointerMove" | "onPointerLeave" | "onFocusIn" | "onFocusOut"
>;

/** Whether somebody reads a list: it is scrolled away from its top, a pointer lies on it, or the keyboard is in it. */
export function useHeld(): { held: Held | null; handlers: HoldHandlers; letGo(): void } {
  const [isScrolled, setScrolled] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const handlers: HoldHandlers = {
    onScroll: ({ currentTarget }) => setScrolled(currentTarget.scrollTop > 0),
    // A finger does not stay where it was: it scrolls.
    onPointerMove: ({ pointerType }) => pointerType === "mouse" && setPointed(true),
    onPointerLeave: () => setPointed(false),
    // What a pointer has pressed has the focus, too.
    onFocusIn: ({ target }) => setFocused(target instanceof Element && target.matches(":focus-visible")),
    onFocusOut: () => setFocused(false),
  };
  const letGo = () => {
    setScrolled(false);
    setPointed(false);
    setFocused(false);
  };
  return { held: isScrolled ? "scrolled" : isPointed ? "pointed" : isFocused ? "focused" : null, handlers, letGo };
}
