import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWeir, type Weir } from "../support/weir.ts";
import { eventSource } from "./events.ts";
import { probeEvent, probes } from "./lanes.ts";
import { rounded, usageOf } from "./report.ts";

export interface ImportOptions {
  /** Of each import. */
  events: number;
  /** Live events without an import beside them. */
  probes: number;
}

/** What an import is to reach on two cores, with the importer beside the Weir. */
const LEAST_PER_SECOND = 25_000;
/** What src/import/DESIGN.md promises. */
const MEMORY_MAX_BYTES = 300_000_000;
const YEAR_MS = 365 * 86_400_000;
const LOOK_MS = 250;
const LINES_AT_ONCE = 2_000;
/** The command as a user gives it: it decides about memory. */
export const WEIR = new URL("../../scripts/weir", import.meta.url).pathname;
const ROLES = ["front", "worker-0", "nats-server"] as const;
export const MAPPING = {
  event: "event",
  distinct_id: "distinct_id",
  timestamp: "timestamp",
  properties: "properties.*",
};

interface Report {
  rows: number;
  stored: number;
  duplicates: number;
  isWhole: boolean;
}

/** Writes events of a year as JSON lines; gives their bytes. */
export async function writeEvents(path: string, events: number): Promise<number> {
  const { next } = eventSource(Date.now, YEAR_MS);
  const file = await open(path, "w");
  let bytes = 0;
  for (let left = events; left > 0; left -= LINES_AT_ONCE) {
    const text = Array.from({ length: Math.min(LINES_AT_ONCE, left) }, next).join("\n");
    bytes += (await file.write(`${text}\n`)).bytesWritten;
  }
  await file.close();
  return bytes;
}

/** One import to its report. Throws where a row was not stored. */
export async function runImport(
  weir: Weir,
  path: string,
  map: string,
  events: number,
): Promise<{ elapsedMs: number; eventsPerSecond: number }> {
  const startedAt = performance.now();
  const command = [WEIR, "import", "file", path, "--map", map, "--project", String(weir.environmentId), "--json"];
  const env = { ...process.env, WEIR_DATA_DIR: weir.dataDir };
  const child = Bun.spawn(command, { env, stdout: "pipe", stderr: "inherit" });
  const printed = await new Response(child.stdout).text();
  const report = JSON.parse(printed.trim().split("\n").at(-1)!) as { rows: number; stored: number; isWhole: boolean };
  if (!report.isWhole || report.stored !== events) throw new Error(`the import is not whole: ${printed}`);
  const elapsedMs = Math.round(performance.now() - startedAt);
  return { elapsedMs, eventsPerSecond: Math.round((events * 1000) / elapsedMs) };
}

/** 0 where the process has just ended. */
function peakOf(pid: number): number {
  try {
    return usageOf(pid).peakBytes || 0;
  } catch {
    return 0;
  }
}

/** One import to its report, with live events beside it. */
async function imported(weir: Weir, events: number, argv: string[]) {
  const command = [WEIR, "import", "file", ...argv, "--project", String(weir.environmentId), "--json"];
  const used = () => ROLES.map((role) => usageOf(weir.pidOf(role)).cpuMs);
  const before = used();
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    env: { ...process.env, WEIR_DATA_DIR: weir.dataDir },
    stdout: "pipe",
    stderr: "inherit",
  });
  const printed = new Response(child.stdout).text();
  let elapsedMs = 0;
  const ended = child.exited.then(() => {
    elapsedMs = performance.now() - startedAt;
  });
  let peakBytes = 0;
  const looking = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child.pid));
  }, LOOK_MS);
  const live = await probes(probeEvent, weir, (n) => elapsedMs > 0 && n > 0);
  await ended;
  clearInterval(looking);
  const report = JSON.parse((await printed).trim().split("\n").at(-1)!) as Report;
  if (!report.isWhole || report.rows !== events) throw new Error(`the import is not whole: ${JSON.stringify(report)}`);
  const usage = child.resourceUsage()!;
  const { latenciesMs: _all, ...liveMs } = live;
  return {
    eventsPerSecond: Math.round((events / elapsedMs) * 1000),
    elapsedMs: Math.round(elapsedMs),
    stored: report.stored,
    duplicates: report.duplicates,
    importer: { cpuUsPerEvent: rounded(Number(usage.cpuTime.total) / events), peakBytes },
    weirCpuUsPerEvent: Object.fromEntries(
      used().map((cpuMs, i) => [ROLES[i]!, rounded(((cpuMs - before[i]!) * 1000) / events)]),
    ),
    liveMs,
  };
}

/** How fast `weir import` is from its start to its report, and what live events notice of it. */
export async function benchImport(o: ImportOptions): Promise<object> {
  await using weir = await startWeir();
  const folder = mkdtempSync(join(tmpdir(), "weir-bench-import-"));
  try {
    const path = join(folder, "events.jsonl");
    const [withId, withoutId] = ["with-id.json", "without-id.json"].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(withId, JSON.stringify({ ...MAPPING, uuid: "uuid" }));
    writeFileSync(withoutId, JSON.stringify(MAPPING));
    const bytes = await writeEvents(path, o.events);
    const { latenciesMs: _all, ...alone } = await probes(probeEvent, weir, (n) => n >= o.probes);
    const runs: Record<string, Awaited<ReturnType<typeof imported>>> = {};
    runs.withIds = await imported(weir, o.events, [path, "--map", withId]);
    console.error(`with ids: ${runs.withIds.eventsPerSecond} events/s`);
    runs.again = await imported(weir, o.events, [path, "--map", withId]);
    console.error(`again: ${runs.again.eventsPerSecond} events/s`);
    await weir.enterFreshProject();
    runs.withoutIds = await imported(weir, o.events, [path, "--map", withoutId]);
    console.error(`without ids: ${runs.withoutIds.eventsPerSecond} events/s`);
    const asked = { eventsPerSecond: LEAST_PER_SECOND, importerPeakBytes: MEMORY_MAX_BYTES };
    const found = {
      eventsPerSecond: runs.withIds.eventsPerSecond,
      importerPeakBytes: Math.max(...Object.values(runs).map(({ importer }) => importer.peakBytes)),
      liveP95Ms: { alone: alone.p95, beside: runs.withIds.liveMs.p95 },
    };
    return {
      bench: "import",
      ...o,
      bytesPerEvent: Math.round(bytes / o.events),
      asked,
      found,
      liveAloneMs: alone,
      runs,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
