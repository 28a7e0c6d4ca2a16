import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Weir } from "../support/weir.ts";
import { usageOf } from "./report.ts";

/** Compaction counts as done when the compactor has been idle and the number of files the same for this long. */
export const QUIET_MS = 8_000;
const AT_MOST_MS = 900_000;
const SAMPLE_MS = 250;
/** An idle compactor looks around now and then. */
const IDLE_CPU_MS = 50;

/** Files that queries read now. */
export async function liveFiles(weir: Weir): Promise<number> {
  const metrics = await (await fetch(`${weir.url}/metrics`)).text();
  const files = metrics.match(/^weir_segments_live (\d+)$/m)?.[1];
  if (files === undefined) throw new Error(`/metrics does not say how many files there are: ${metrics.slice(0, 200)}`);
  return Number(files);
}

/** A smaller file is merged further, a larger one only because of its days. With 1.5 GB of memory a file grows to twice as much. */
const SMALL_BYTES = 40 * 1024 ** 2;

/** Files that compaction has yet to merge: their number should not grow with the data. */
export function smallFiles(weir: Weir): number {
  using db = new Database(join(weir.dataDir, "weir.db"), { readonly: true });
  const [row] = db
    .query<{ n: number }, [number]>("select count(*) as n from segments where state = 'live' and size_bytes < ?")
    .all(SMALL_BYTES);
  return row!.n;
}

/** Waits until the compactor has nothing left to do; throws when it never rests. */
export async function untilCompacted(weir: Weir): Promise<void> {
  const giveUpAt = Date.now() + AT_MOST_MS;
  const look = async () => ({ files: await liveFiles(weir), cpuMs: usageOf(weir.pidOf("compactor")).cpuMs });
  let last = await look();
  for (let quietSince = Date.now(); Date.now() - quietSince < QUIET_MS; ) {
    if (Date.now() > giveUpAt) throw new Error(`compaction did not rest within ${AT_MOST_MS} ms`);
    await Bun.sleep(SAMPLE_MS);
    const now = await look();
    if (now.files !== last.files || now.cpuMs - last.cpuMs > IDLE_CPU_MS) quietSince = Date.now();
    last = now;
  }
}
