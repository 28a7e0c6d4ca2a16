import { useEffect, useState } from "preact/hooks";
import { type BoardFilters, differing, readFragment, writeFragment } from "./filters.ts";

/** Filters of this look at a board alone: what differs from `saved`, kept in the fragment of the address where that is the board's. */
export function useOwnFilters(saved: () => BoardFilters, isInAddress: boolean) {
  const [own, setState] = useState<BoardFilters>(() => (isInAddress ? readFragment(window.location.hash) : {}));
  useEffect(() => {
    if (!isInAddress) return;
    const read = () => setState(readFragment(window.location.hash));
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [isInAddress]);
  function setOwn(next: BoardFilters): void {
    const kept = differing(saved(), next);
    setState(kept);
    if (!isInAddress) return;
    const { pathname, search } = window.location;
    history.replaceState(null, "", pathname + search + writeFragment(kept));
  }
  return [own, setOwn] as const;
}
