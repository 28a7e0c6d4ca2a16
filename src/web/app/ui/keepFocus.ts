import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

const FOCUSABLE = ":is(a[href], button, input, select, textarea, [tabindex='0']):not(:disabled)";

/**
 * What has the focus by keyboard may go away by what it does, as a button that removes its row. The focus then goes to what stands in
 * its place by then, or to what comes next, so that one goes on from there and not from the beginning of the page.
 */
export function useKeptFocus(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = ref.current!;
    const all = () => Array.from(root.querySelectorAll<HTMLElement>(FOCUSABLE)).filter((one) => one.checkVisibility());
    let had: HTMLElement | null = null;
    let before: readonly HTMLElement[] = [];
    const note = ({ target }: FocusEvent) => {
      had = target instanceof HTMLElement && target.matches(":focus-visible") ? target : null;
      before = had === null ? [] : all();
    };
    const observer = new MutationObserver(() => {
      // A button that is busy comes back.
      if (had === null || (had.isConnected && !had.matches(":disabled:not([aria-busy])"))) return;
      const now = document.activeElement;
      if (now !== document.body && now !== had) return;
      inPlaceOf(before.indexOf(had), before, all())?.focus();
    });
    root.addEventListener("focusin", note);
    observer.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
    return () => {
      root.removeEventListener("focusin", note);
      observer.disconnect();
    };
  }, []);
}

/** The first after the last one that is still there of those before it; where there is none, that one. */
function inPlaceOf<T>(at: number, before: readonly T[], left: readonly T[]): T | undefined {
  const last = before.slice(0, Math.max(at, 0)).findLast((one) => left.includes(one));
  const index = last === undefined ? -1 : left.indexOf(last);
  return left[index + 1] ?? last;
}
