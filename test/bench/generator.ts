/**
 * The load, in a process of its own: `generator.ts URL KEY EVENTS BATCH CONNECTIONS [history]`. Prints one line of JSON.
 * A request that is not answered with 200 is sent again, as a client would; how often is part of the result.
 */
import { eventSource } from "./events.ts";

export interface GeneratorResult {
  firstByteAtMs: number;
  lastAckAtMs: number;
  sentBytes: number;
  retries: number;
  latenciesMs: number[];
  cpuMs: number;
  peakBytes: number;
}

const RETRY_PAUSE_MS = 100;

async function main([url, key, ...rest]: string[]): Promise<GeneratorResult> {
  const [events, batchSize, connections] = rest.slice(0, 3).map(Number) as [number, number, number];
  const historical = rest[3] === "history";
  const source = eventSource(Date.now);
  const latenciesMs: number[] = [];
  let left = events;
  let sentBytes = 0;
  let retries = 0;

  const connection = async () => {
    while (left > 0) {
      const size = Math.min(batchSize, left);
      left -= size;
      const body = `{"api_key":"${key}","historical_migration":${historical},"batch":[${Array.from({ length: size }, source.next).join(",")}]}`;
      sentBytes += body.length;
      const begun = performance.now();
      for (;;) {
        const response = await fetch(`${url}/batch/`, { method: "POST", body });
        await response.arrayBuffer();
        if (response.status === 200) break;
        if (response.status < 500) throw new Error(`a batch was refused with ${response.status}`);
        retries++;
        await Bun.sleep(RETRY_PAUSE_MS);
      }
      latenciesMs.push(performance.now() - begun);
    }
  };
  const firstByteAtMs = Date.now();
  await Promise.all(Array.from({ length: connections }, connection));
  const lastAckAtMs = Date.now();
  const { user, system } = process.cpuUsage();
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { firstByteAtMs, lastAckAtMs, sentBytes, retries, latenciesMs, cpuMs: (user + system) / 1000, peakBytes };
}

console.log(JSON.stringify(await main(process.argv.slice(2))));
