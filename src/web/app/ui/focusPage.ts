/** Gives the focus to the page itself: the next stop of the Tab key is the first in it. */
export function focusPage(): void {
  const page = document.querySelector("main");
  page?.setAttribute("tabindex", "-1");
  page?.focus();
}
