import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** For an element that takes the focus when it comes, because someone asked for it. */
export function useFocusAtFirst<E extends HTMLElement>(isWanted = true): RefObject<E | null> {
  const ref = useRef<E>(null);
  useLayoutEffect(() => {
    if (isWanted) ref.current?.focus();
  }, []);
  return ref;
}
