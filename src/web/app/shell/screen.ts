import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 700px)");

/** Whether there is no room for a sidebar beside the page. */
export const isNarrow = signal(narrow.matches);

narrow.addEventListener("change", () => {
  isNarrow.value = narrow.matches;
});
