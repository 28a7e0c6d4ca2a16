import { useEffect, useState } from "preact/hooks";

/** When the page was loaded anew because a file of it was gone. */
const LAST = "weir_reloaded_at";
const AGAIN_AFTER_MS = 30_000;

/**
 * Loads a part of the pages. After a new release the files of the old one are gone: then the page is loaded anew, once, and
 * the promise stays open. Where that does not help it throws what the browser threw.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!mayReload()) throw error;
    window.location.reload();
    return new Promise<T>(() => {});
  }
}

/** A part of the pages that is loaded when it is first shown; undefined until it is there. Throws, in drawing, where it cannot be loaded. */
export function useChunk<T>(load: () => Promise<T>): T | undefined {
  const [state, setState] = useState<{ part?: T; error?: unknown }>({});
  // What is loaded never changes.
  useEffect(() => {
    loadChunk(load).then(
      (part) => setState({ part }),
      (error: unknown) => setState({ error }),
    );
  }, []);
  if (state.error !== undefined) throw state.error;
  return state.part;
}

function mayReload(): boolean {
  const nowMs = Date.now();
  try {
    if (nowMs - Number(sessionStorage.getItem(LAST) ?? 0) < AGAIN_AFTER_MS) return false;
    sessionStorage.setItem(LAST, String(nowMs));
    return true;
  } catch {
    // Without a memory it might go on for ever.
    return false;
  }
}
