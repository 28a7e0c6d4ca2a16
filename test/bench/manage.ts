import { startWeir, type Weir } from "../support/weir.ts";
import { copyDataset } from "./dataset/copy.ts";
import type { Vocabulary } from "./dataset/vocabulary.ts";
import type { ReadLoadResult } from "./readLoad.ts";
import { percentile, rounded, usageOf } from "./report.ts";
import { trendQuestions } from "./trends/questions.ts";

export interface ManageOptions {
  events: number;
  /** Calculated trends with, and as many without a migration. */
  runs: number;
  connections: number;
  /** Cached insights that are read. */
  requests: number;
}

const WARM_UP_RUNS = 3;
const MIGRATION_BATCH = 1_000;
const MIGRATION_CONNECTIONS = 2;
/** More than can be sent while the trends run; the generator is ended then. */
const MIGRATION_EVENTS = 50_000_000;
/** Stored when a migration counts as under way. */
const UNDER_WAY_EVENTS = 50_000;
const UNDER_WAY_LOOK_MS = 50;
/** The cores: the processes that answer get one, the client the other. */
const ANSWERING = ["front", "api"] as const;
const WEIR_CORE = "0";
const CLIENT_CORE = "1";

function summary(timesMs: number[]) {
  return {
    p50Ms: rounded(percentile(timesMs, 0.5)),
    p95Ms: rounded(percentile(timesMs, 0.95)),
    p99Ms: rounded(percentile(timesMs, 0.99)),
    count: timesMs.length,
  };
}

/** Puts every thread of a process on some cores. */
function pin(pid: number, cores: string): void {
  const run = Bun.spawnSync(["taskset", "-a", "-p", "-c", cores, String(pid)]);
  if (run.exitCode !== 0) throw new Error(`taskset failed: ${run.stderr}`);
}

async function savedTrend(weir: Weir, vocabulary: Vocabulary): Promise<string> {
  const query = { kind: "InsightVizNode", source: trendQuestions(vocabulary)["total by day"]!.node };
  const response = await weir.api("/insights/", { body: { name: "bench", query } });
  const { id } = (await response.json()) as { id: number };
  const path = `/insights/${id}/`;
  const calculated = await weir.api(`${path}?refresh=blocking`);
  if (calculated.status !== 200) throw new Error(`the trend was not calculated: ${await calculated.text()}`);
  return path;
}

async function readCached(weir: Weir, path: string, o: ManageOptions) {
  const script = new URL("./readLoad.ts", import.meta.url).pathname;
  const url = `${weir.url}/api/environments/${weir.environmentId}${path}`;
  const args = [url, weir.personalKey, String(o.requests), String(o.connections)];
  const pids = ANSWERING.map((role) => weir.pidOf(role));
  const cpuOfAll = () => pids.reduce((sum, pid) => sum + usageOf(pid).cpuMs, 0);
  for (const pid of pids) pin(pid, WEIR_CORE);
  const beforeMs = cpuOfAll();
  const child = Bun.spawn(["taskset", "-c", CLIENT_CORE, process.execPath, script, ...args], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the load failed");
  const cpuMs = cpuOfAll() - beforeMs;
  for (const pid of pids) pin(pid, `${WEIR_CORE},${CLIENT_CORE}`);
  const { elapsedMs, latenciesMs } = JSON.parse(output) as ReadLoadResult;
  return {
    perSecond: Math.round((o.requests * 1000) / elapsedMs),
    // Also tells what the core could do where others use it, too.
    cpuUsPerRequest: Math.round((cpuMs * 1000) / o.requests),
    ...summary(latenciesMs),
  };
}

/** One after the other, each calculated anew. */
async function calculateTrends(weir: Weir, path: string, runs: number): Promise<number[]> {
  const timesMs: number[] = [];
  for (let i = 0; i < runs; i++) {
    const begun = performance.now();
    const response = await weir.api(`${path}?refresh=force_blocking`);
    const body = (await response.json()) as { is_cached?: boolean };
    if (response.status !== 200 || body.is_cached !== false) throw new Error(`not calculated: ${response.status}`);
    timesMs.push(performance.now() - begun);
  }
  return timesMs;
}

/** Begins when the migration is under way: its first flushes have been stored. */
async function duringMigration<T>(weir: Weir, body: () => Promise<T>): Promise<{ result: T; storedPerSecond: number }> {
  const script = new URL("./generator.ts", import.meta.url).pathname;
  const args = [weir.url, weir.projectKey, MIGRATION_EVENTS, MIGRATION_BATCH, MIGRATION_CONNECTIONS, "history"];
  const stored = async () => (await weir.ingestionStatus()).stored;
  const atRest = await stored();
  const child = Bun.spawn([process.execPath, script, ...args.map(String)], { stdout: "ignore", stderr: "inherit" });
  try {
    while ((await stored()) < atRest + UNDER_WAY_EVENTS) await Bun.sleep(UNDER_WAY_LOOK_MS);
    const before = await stored();
    const begun = performance.now();
    const result = await body();
    const seconds = (performance.now() - begun) / 1000;
    const after = await stored();
    if (after === before) throw new Error("nothing was migrated meanwhile");
    return { result, storedPerSecond: Math.round((after - before) / seconds) };
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}

/** What analysts wait for: insights from the cache, and a trend over the data set that is calculated. */
export async function benchManage(o: ManageOptions): Promise<object> {
  using copy = await copyDataset(o.events);
  await using weir = await startWeir({ dataDir: copy.dataDir });
  const path = await savedTrend(weir, copy.set.vocabulary);
  const cached = await readCached(weir, path, o);
  await calculateTrends(weir, path, WARM_UP_RUNS);
  const alone = await calculateTrends(weir, path, o.runs);
  // Of another project: what is asked for stays the same.
  const asked = weir.environmentId;
  await weir.enterFreshProject();
  const migrated = weir.environmentId;
  const { result: busy, storedPerSecond } = await duringMigration(weir, async () => {
    weir.environmentId = asked;
    const times = await calculateTrends(weir, path, o.runs);
    weir.environmentId = migrated;
    return times;
  });
  return {
    bench: "manage",
    events: o.events,
    cachedRetrieve: { connections: o.connections, ...cached },
    blockingTrend: { ...summary(alone), timesMs: alone.map((ms) => rounded(ms)) },
    blockingTrendDuringMigration: {
      ...summary(busy),
      timesMs: busy.map((ms) => rounded(ms)),
      migratedPerSecond: storedPerSecond,
    },
  };
}
