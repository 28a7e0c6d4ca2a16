import { useEffect } from "preact/hooks";
import { invalidate, type Known, useData } from "./cache.ts";

/** Data that is loaded again so long after each answer, while the tab is in sight. */
export function useLive<T>(key: string | null, load: () => Promise<T>, everyMs: number): Known<T> {
  const known = useData(key, load);
  useEffect(() => {
    if (key === null || known.isLoading) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") invalidate(key);
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, known, everyMs]);
  return known;
}
