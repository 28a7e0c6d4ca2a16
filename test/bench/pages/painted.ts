import type { Page } from "playwright-core";

/**
 * Runs in each page before its scripts: `painted(isReady)` gives the time, in ms since the page began, at which the first frame
 * was painted after `isReady` held. The page's own clock: what the bench itself takes is not in it.
 */
const PAINTED = `globalThis.painted = (isReady) => new Promise((done) => {
  let isFound = false;
  const look = () => {
    if (isFound || !isReady()) return;
    isFound = true;
    observer.disconnect();
    requestAnimationFrame(() => {
      // The next task comes after the frame.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => done(performance.now());
      channel.port2.postMessage(null);
    });
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
});`;

export async function watchPaint(page: Page): Promise<void> {
  await page.addInitScript(PAINTED);
}

/** When a page that is loaded anew showed something, ms after its beginning. `isReady`: an expression. */
export async function loadedAt(page: Page, url: string, isReady: string): Promise<number> {
  await page.addInitScript(`globalThis.loadedAt = painted(() => ${isReady});`);
  await page.goto(url, { waitUntil: "commit" });
  return page.evaluate<number>("globalThis.loadedAt");
}

/** From an action to the first frame in which something holds, ms. Both are expressions, which run in the page. */
export function msUntil(page: Page, action: string, isReady: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const startMs = performance.now();
    ${action};
    return (await painted(() => ${isReady})) - startMs;
  })()`);
}
