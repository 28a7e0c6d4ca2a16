import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ENTRIES, hrefOf } from "./entries.ts";

/** A second key counts only so long after the first. */
const SEQUENCE_MS = 1_000;

interface Openers {
  /** Opens the list of shortcuts. */
  openHelp(): void;
  /** Opens the search over everything. */
  openSearch(): void;
}

/** Keys that work on every page of a project, where one is not writing. */
export function useShortcuts(projectId: number, { openHelp, openSearch }: Openers): void {
  const { route } = useLocation();
  const wentAtMs = useRef(-SEQUENCE_MS);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        openSearch();
        return;
      }
      if (
        event.ctrlKey ||
        event.metaKey ||
        isWriting(event.composedPath()[0] ?? null) ||
        // One that is just coming counts, too.
        document.querySelector("dialog")
      )
        return;
      const entry = ENTRIES.find(({ key }) => key === event.key);
      const isSecond = event.timeStamp - wentAtMs.current < SEQUENCE_MS;
      wentAtMs.current = event.key === "g" ? event.timeStamp : -SEQUENCE_MS;
      const action =
        isSecond && entry !== undefined
          ? () => route(hrefOf(projectId, entry.path))
          : { "?": openHelp, "/": openSearch, n: () => route(hrefOf(projectId, "insights/new")) }[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}
