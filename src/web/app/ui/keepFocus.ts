import { focusPage } from "./focusPage.ts";

const FOCUSABLE = "main :is(a[href], button, input, select, textarea, [tabindex='0']):not(:disabled)";
const SEEN = "main:focus-visible, main :focus-visible";

const all = () =>
  Array.from(document.querySelectorAll<HTMLElement>(FOCUSABLE)).filter((element) => element.checkVisibility());

/**
 * What has the focus by keyboard may go away by what it does, as a button that removes its row. The focus then goes to what stands in
 * its place by then, or to what comes next, so that one goes on from there and not from the beginning of the page. Where another page
 * has come it goes to that page.
 */
export function keepFocus(): void {
  let had: HTMLElement | null = null;
  let before: readonly HTMLElement[] = [];
  const note = (target: EventTarget | null) => {
    had = target instanceof HTMLElement && target.matches(SEEN) ? target : null;
    before = had === null ? [] : all();
  };
  const observer = new MutationObserver(() => {
    // A button that is busy comes back.
    if (had === null || (had.isConnected && !had.matches(":disabled:not([aria-busy])"))) return;
    const now = document.activeElement;
    if (now !== document.body && now !== had) return;
    const left = all();
    if (before.some((one) => left.includes(one))) inPlaceOf(before.indexOf(had), before, left)?.focus();
    else focusPage();
  });
  note(document.activeElement);
  document.addEventListener("focusin", ({ target }) => note(target));
  // By the pointer one goes elsewhere.
  document.addEventListener("pointerdown", () => note(null));
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
}

/** The first after the last one that is still there of those before it; where there is none, that one. */
function inPlaceOf<T>(at: number, before: readonly T[], left: readonly T[]): T | undefined {
  const last = before.slice(0, Math.max(at, 0)).findLast((one) => left.includes(one));
  const index = last === undefined ? -1 : left.indexOf(last);
  return left[index + 1] ?? last;
}
