import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** What the open page calls itself; null: nothing. */
const ofPage = signal<string | null>(null);
/** What the part of the pages is called that it belongs to. */
const ofSection = signal<string | null>(null);

/** In words, without the name of the product. */
export const title = computed(() => ofPage.value ?? ofSection.value);

effect(() => {
  document.title = title.value === null ? "Weir" : `${title.value} · Weir`;
});

/** Names the page in the window's title, while it is shown; null leaves it to the entry of the sidebar. */
export function useTitle(text: string | null): void {
  useEffect(() => {
    ofPage.value = text;
    return () => {
      if (ofPage.peek() === text) ofPage.value = null;
    };
  }, [text]);
}

/** Names the part of the pages that is open. */
export function useSectionTitle(text: string | null): void {
  useEffect(() => {
    ofSection.value = text;
  }, [text]);
}
