/**
 * The load of one scenario, in a process of its own: `frontLoad.ts URL KEY EVENTS BATCH CONNECTIONS gzip|plain`.
 * Bodies are made before the clock starts, so that the generator takes little of the machine. Prints one line of JSON.
 */
import { gzipSync } from "node:zlib";
import { eventSource } from "./events.ts";

export interface FrontLoadResult {
  elapsedMs: number;
  sentBytesPerEvent: number;
  latenciesMs: number[];
}

async function main([url, key, ...rest]: string[]): Promise<FrontLoadResult> {
  const [events, batchSize, connections] = rest.slice(0, 3).map(Number) as [number, number, number];
  const source = eventSource(Date.now);
  const single = () => source.next().replace("{", `{"api_key":"${key}",`);
  const batch = () => `{"api_key":"${key}","batch":[${Array.from({ length: batchSize }, source.next).join(",")}]}`;
  let sentBytes = 0;
  const bodies = Array.from({ length: Math.ceil(events / batchSize) }, () => {
    const body = Buffer.from(batchSize === 1 ? single() : batch());
    sentBytes += body.length;
    return rest[3] === "gzip" ? gzipSync(body, { level: 6 }) : body;
  });
  const path = batchSize === 1 ? "/e/" : "/batch/";
  const latenciesMs: number[] = [];
  const connection = async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const begun = performance.now();
      const response = await fetch(url + path, { method: "POST", body });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`refused with ${response.status}`);
      latenciesMs.push(performance.now() - begun);
    }
  };
  console.log("ready");
  for await (const _line of console) break;
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  return { elapsedMs: performance.now() - begun, sentBytesPerEvent: Math.round(sentBytes / events), latenciesMs };
}

console.log(JSON.stringify(await main(process.argv.slice(2))));
process.exit(0);
