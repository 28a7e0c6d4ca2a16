import type { Weir } from "../support/weir.ts";

/** Compaction counts as done when the number of files has not changed for this long. */
const QUIET_MS = 5_000;
const AT_MOST_MS = 120_000;

/** Files that queries read now. */
export async function liveFiles(weir: Weir): Promise<number> {
  const metrics = await (await fetch(`${weir.url}/metrics`)).text();
  return Number(metrics.match(/^weir_segments_live (\d+)$/m)?.[1]);
}

/** Waits until the compactor has nothing left to do; throws when it never rests. */
export async function untilCompacted(weir: Weir): Promise<void> {
  const giveUpAt = Date.now() + AT_MOST_MS;
  let files = await liveFiles(weir);
  for (let quietSince = Date.now(); Date.now() - quietSince < QUIET_MS; ) {
    if (Date.now() > giveUpAt) throw new Error(`compaction did not rest within ${AT_MOST_MS} ms`);
    await Bun.sleep(250);
    const now = await liveFiles(weir);
    if (now !== files) quietSince = Date.now();
    files = now;
  }
}
