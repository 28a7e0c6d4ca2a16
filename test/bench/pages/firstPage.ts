import type { BrowserContext } from "playwright-core";
import { loadedAt, watchPaint } from "./painted.ts";

export interface Weight {
  /** Over the wire with gzip, heads of answers included. */
  bytes: number;
  apiBytes: number;
  requests: number;
}

const IDLE_MS = 500;

/** What the first visit to an address takes, with nothing kept from before. */
export async function weigh(context: BrowserContext, url: string, isReady: string): Promise<Weight> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Network.setExtraHTTPHeaders", { headers: { "Accept-Encoding": "gzip" } });
  const urls = new Map<string, string>();
  const weight: Weight = { bytes: 0, apiBytes: 0, requests: 0 };
  session.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    weight.bytes += encodedDataLength;
    weight.requests++;
    if (urls.get(requestId)?.includes("/api/")) weight.apiBytes += encodedDataLength;
  });
  await watchPaint(page);
  await loadedAt(page, url, isReady);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(IDLE_MS);
  await page.close();
  return weight;
}

/** Ms until an address shows something that can be used, with the processor slowed down, and nothing kept from before. */
export async function timeUsable(
  context: BrowserContext,
  url: string,
  o: { isReady: string; slowdown: number; runs: number },
): Promise<number[]> {
  const timesMs: number[] = [];
  for (let run = 0; run < o.runs; run++) {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await session.send("Emulation.setCPUThrottlingRate", { rate: o.slowdown });
    await watchPaint(page);
    timesMs.push(await loadedAt(page, url, o.isReady));
    await page.close();
  }
  return timesMs;
}
