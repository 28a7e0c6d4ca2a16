import { join } from "node:path";
import type { InstallationStatus } from "../../src/health/mod.ts";
import { until } from "../support/processes.ts";
import { type Role, startWeir, type Weir } from "../support/weir.ts";
import { liveFiles, untilCompacted } from "./compaction.ts";
import type { GeneratorResult } from "./generator.ts";
import { folderBytes, percentile, type Usage, usageOf } from "./report.ts";

/** What one run is made with. */
export interface IngestRun {
  events: number;
  connections: number;
  /** Worker processes. */
  workers: number;
  /** Of the streams; undefined for the default. */
  partitions?: number;
}

export interface IngestOptions extends IngestRun {
  runs: number;
}

const BATCH_EVENTS = 1_000;
const DRAIN_MS = 300_000;
const ROLES: Role[] = ["main", "front", "api", "nats-server", "compactor", "exporter-0", "query-0", "query-1"];
const WORKERS_MAX = 16;
const WORKERS = Array.from({ length: WORKERS_MAX }, (_, i): Role => `worker-${i}`);

type Usages = Map<Role, Usage>;

function usages(weir: Weir): Usages {
  return new Map(
    [...ROLES, ...WORKERS].filter((role) => weir.isRunning(role)).map((role) => [role, usageOf(weir.pidOf(role))]),
  );
}

async function generate(weir: Weir, o: IngestRun): Promise<GeneratorResult> {
  const script = new URL("./generator.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, o.events, BATCH_EVENTS, o.connections].map(String);
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the generator failed");
  return JSON.parse(output) as GeneratorResult;
}

/** Answers only from queries: an event counts when it is in an answer. */
async function untilQueryable(weir: Weir, events: number): Promise<number> {
  await until("the last event to be queryable", DRAIN_MS, async () => {
    const { queued } = await weir.ingestionStatus();
    return queued === 0 && (await weir.number("SELECT count() FROM events")) >= events;
  });
  return Date.now();
}

async function checkCounts(weir: Weir, events: number): Promise<void> {
  const { results } = await weir.query("SELECT count(), count(DISTINCT uuid) FROM events");
  const { accepted, stored, duplicates, dropped, dead_letters } = await weir.ingestionStatus();
  const found = { count: Number(results[0]![0]), uuids: Number(results[0]![1]), accepted, stored };
  const isRight = Object.values(found).every((n) => n === events) && duplicates + dropped + dead_letters === 0;
  if (!isRight)
    throw new Error(`${events} events were sent, but: ${JSON.stringify({ ...found, duplicates, dropped })}`);
}

/** A fresh Weir takes all events; counts that disagree are an error. */
export async function ingestOnce(o: IngestRun) {
  const { workers, partitions } = o;
  const streams: Record<string, string> = partitions === undefined ? {} : { WEIR_PARTITIONS: String(partitions) };
  await using weir = await startWeir({ env: { WEIR_WORKERS: String(workers), ...streams } });
  const before = usages(weir);
  const load = await generate(weir, o);
  // What the front uses from here on, it uses for the questions of this bench.
  const atLastAck = usages(weir);
  const drainedAtMs = await untilQueryable(weir, o.events);
  const atDrain = usages(weir);
  await untilCompacted(weir);
  const atRest = usages(weir);
  await checkCounts(weir, o.events);
  const lakeBytes = folderBytes(join(weir.dataDir, "lake"));
  const files = await liveFiles(weir);

  const perEventUs = (cpuMs: number) => Math.round((cpuMs * 10_000) / o.events) / 10;
  const used = (at: Usages) =>
    Object.fromEntries([...at].map(([role, { cpuMs }]) => [role, perEventUs(cpuMs - (before.get(role)?.cpuMs ?? 0))]));
  const elapsedMs = drainedAtMs - load.firstByteAtMs;
  return {
    elapsedMs,
    eventsPerSecond: Math.round((o.events * 1000) / elapsedMs),
    acknowledgedPerSecond: Math.round((o.events * 1000) / (load.lastAckAtMs - load.firstByteAtMs)),
    sentBytesPerEvent: Math.round(load.sentBytes / o.events),
    retries: load.retries,
    requestMs: {
      p50: Math.round(percentile(load.latenciesMs, 0.5)),
      p99: Math.round(percentile(load.latenciesMs, 0.99)),
    },
    cpuUsPerEventUntilAcknowledged: used(atLastAck),
    cpuUsPerEvent: { ...used(atDrain), generator: perEventUs(load.cpuMs) },
    cpuUsPerEventAfterCompaction: used(atRest),
    peakBytes: {
      ...Object.fromEntries([...atRest].map(([role, usage]) => [role, usage.peakBytes])),
      generator: load.peakBytes,
    },
    log: await logFacts(weir, o.events),
    lakeBytesPerEvent: Math.round(lakeBytes / o.events),
    liveFiles: files,
  };
}

/** What is said of persons, as it lies in the live files. */
async function logFacts(weir: Weir, events: number) {
  const child = Bun.spawn([process.execPath, "src/main.ts", "status", "--json"], {
    env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
    stdout: "pipe",
  });
  const { files } = (await new Response(child.stdout).json()) as InstallationStatus;
  const log = files.filter((file) => file.kind === "log" && file.state === "live");
  const rows = log.reduce((sum, file) => sum + file.rows, 0);
  const bytes = log.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { rowsPerEvent: Math.round((rows * 100) / events) / 100, bytesPerEvent: Math.round(bytes / events) };
}

/** Each run has a fresh Weir; a run whose counts disagree fails the bench. */
export async function benchIngest(o: IngestOptions): Promise<object> {
  const runs = [];
  for (let i = 0; i < o.runs; i++) {
    const run = await ingestOnce(o);
    console.error(`run ${i + 1}: ${run.eventsPerSecond} events/s`);
    runs.push(run);
  }
  const rates = runs.map((run) => run.eventsPerSecond);
  return { bench: "ingest", ...o, batchEvents: BATCH_EVENTS, medianEventsPerSecond: percentile(rates, 0.5), runs };
}
