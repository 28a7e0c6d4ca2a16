/** When the page was loaded anew because a file of it was gone. */
const LAST = "weir_reloaded_at";
const AGAIN_AFTER_MS = 30_000;

/**
 * Loads a part of the pages. After a new release the files of the old one are gone: then the page is loaded anew, once, and
 * the promise stays open. Else it throws: what is on the page already goes on.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    if (!(await isReplaced()) || !mayReload()) throw new Error("This part of the page does not load. Is Weir running?");
    window.location.reload();
    return new Promise<T>(() => {});
  }
}

/** Whether Weir answers, and no longer has the script that this page began with. Without an answer the page is all there is. */
async function isReplaced(): Promise<boolean> {
  const { src } = document.querySelector("script")!;
  const answer = await fetch(src, { method: "HEAD", cache: "no-store" }).catch(() => null);
  return answer?.status === 404;
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
