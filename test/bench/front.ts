import { startWeir, type Weir } from "../support/weir.ts";
import type { FrontLoadResult } from "./frontLoad.ts";
import { percentile, usageOf } from "./report.ts";

export interface FrontOptions {
  /** Events of a scenario with batches; single events are a fifth of that. */
  events: number;
  runs: number;
  connections: number;
}

const BATCH_SIZES = [1, 100, 1_000];
const ENCODINGS = ["plain", "gzip"] as const;
const DRAIN_MS = 300_000;

/** Sends the events of one scenario; the CPU is that of the front process from the first byte to the last answer. */
async function scenario(weir: Weir, o: FrontOptions, batchSize: number, encoding: string) {
  const events = batchSize === 1 ? Math.ceil(o.events / 5) : o.events;
  const script = new URL("./frontLoad.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, events, batchSize, o.connections, encoding].map(String);
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await lines.read();
  const front = weir.pidOf("front");
  const before = usageOf(front);
  child.stdin.write("go\n");
  child.stdin.end();
  let output = "";
  for (let part = await lines.read(); !part.done; part = await lines.read()) output += part.value;
  const after = usageOf(front);
  if ((await child.exited) !== 0) throw new Error("the generator failed");
  const load = JSON.parse(output) as FrontLoadResult;
  await weir.waitStored(DRAIN_MS);
  return {
    events,
    eventsPerSecond: Math.round((events * 1000) / load.elapsedMs),
    cpuUsPerEvent: Math.round(((after.cpuMs - before.cpuMs) * 100_000) / events) / 100,
    sentBytesPerEvent: load.sentBytesPerEvent,
    requestMs: { p50: percentile(load.latenciesMs, 0.5), p99: percentile(load.latenciesMs, 0.99) },
    peakBytes: after.peakBytes,
  };
}

/** Every scenario runs once to warm up, then `runs` times; the median by CPU counts, all are in the result. */
export async function benchFront(o: FrontOptions): Promise<object> {
  await using weir = await startWeir({ command: ["scripts/start"] });
  const scenarios = [];
  for (const batchSize of BATCH_SIZES) {
    for (const encoding of ENCODINGS) {
      await scenario(weir, o, batchSize, encoding);
      const runs = [];
      for (let i = 0; i < o.runs; i++) runs.push(await scenario(weir, o, batchSize, encoding));
      const cpuUsPerEvent = percentile(
        runs.map((run) => run.cpuUsPerEvent),
        0.5,
      );
      const rates = runs.map((run) => run.eventsPerSecond);
      const eventsPerSecond = percentile(rates, 0.5);
      scenarios.push({ batchSize, encoding, eventsPerSecond, cpuUsPerEvent, runs });
      console.error(`${batchSize} ${encoding}: ${eventsPerSecond} events/s, ${cpuUsPerEvent} µs of CPU an event`);
    }
  }
  return { bench: "front", ...o, scenarios };
}
