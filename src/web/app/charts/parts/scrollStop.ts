import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Makes a stop of the Tab key of what scrolls and has nothing in it that the keyboard could reach. */
export function useScrollStop(ref: RefObject<HTMLElement | null>, isNeeded: boolean): void {
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null || !isNeeded) return;
    const measure = () => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
      if (scrollWidth > clientWidth || scrollHeight > clientHeight) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  });
}
