/**
 * Load of an even rate, in a process of its own: `pacedLoad.ts URL KEY EVENTS_PER_SECOND SECONDS`. Prints one line of JSON. A request that is
 * late is followed by the next ones at once, so the rate holds. When its input ends, so does it.
 */
import { eventSource } from "./events.ts";

export interface PacedResult {
  sent: number;
  /** Requests that were answered with 429 or 503; their events count as sent. */
  refused: number;
  /** Epoch milliseconds. */
  beganAtMs: number;
  seconds: number;
  /** Of each request: when it was sent, and how long its answer took. */
  latencies: [atMs: number, latencyMs: number][];
}

const BATCH_EVENTS = 100;
/** Of the events' own times: all but those of now. */
const SPAN_MS = 2_000;

async function main([url, key, ...rest]: string[]): Promise<PacedResult> {
  const [rate, seconds] = rest.map(Number) as [number, number];
  const batches = Math.round((rate * seconds) / BATCH_EVENTS);
  const [beganAtMs, beganMs] = [Date.now(), performance.now()];
  let refused = 0;
  const source = eventSource(Date.now, SPAN_MS);
  const latencies: PacedResult["latencies"] = [];
  const onWay = new Set<Promise<void>>();
  for (let batch = 0; batch < batches; batch++) {
    const waitMs = beganMs + (batch * BATCH_EVENTS * 1_000) / rate - performance.now();
    if (waitMs > 0) await Bun.sleep(waitMs);
    const body = `{"api_key":"${key}","batch":[${Array.from({ length: BATCH_EVENTS }, source.next).join(",")}]}`;
    const sentMs = performance.now();
    const sending: Promise<void> = send(`${url}/batch/`, body)
      .then((isTaken) => {
        if (!isTaken) refused++;
        latencies.push([Math.round(sentMs - beganMs), performance.now() - sentMs]);
      })
      .finally(() => onWay.delete(sending));
    onWay.add(sending);
  }
  await Promise.all(onWay);
  return {
    sent: batches * BATCH_EVENTS,
    refused,
    beganAtMs,
    seconds: (performance.now() - beganMs) / 1_000,
    latencies,
  };
}

/** False when there is too much to do. */
async function send(url: string, body: string): Promise<boolean> {
  const response = await fetch(url, { method: "POST", body });
  await response.arrayBuffer();
  if (response.status === 429 || response.status === 503) return false;
  if (response.status !== 200) throw new Error(`a batch was answered with ${response.status}`);
  return true;
}

process.stdin.once("end", () => process.exit(1)).resume();
console.log(JSON.stringify(await main(process.argv.slice(2))));
process.exit();
