import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Role, startWeir, type Weir } from "../support/weir.ts";
import { liveFiles, untilCompacted } from "./compaction.ts";
import { writeEvents } from "./import.ts";
import { percentile } from "./report.ts";

export interface MemoryOptions {
  events: number;
  /** How long the Weir is left alone before and after. */
  idleSeconds: number;
}

/** Of all processes together, by default. */
const IMPORT_MAX_BYTES = 1_500_000_000;
const IDLE_MAX_BYTES = 300_000_000;
const LOOK_MS = 1_000;
const WEIR = new URL("../../scripts/weir", import.meta.url).pathname;
const MAPPING = {
  event: "event",
  distinct_id: "distinct_id",
  timestamp: "timestamp",
  properties: "properties.*",
  uuid: "uuid",
};

/** All processes of a Weir at one moment. */
interface Sample {
  atMs: number;
  /** What is in memory: of each process alone, and the files that they map once. */
  bytes: number;
  /** Program and library files, and mapped files of the lake: the kernel may drop what is not used. */
  fileBytes: number;
  /** Of each process alone. */
  processes: Record<string, number>;
}

interface OwnAndFiles {
  ownBytes: number;
  files: Map<string, number>;
}

/** The pages of a process, by /proc/PID/smaps; null when it has ended. */
function memoryOf(pid: number): OwnAndFiles | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/smaps`, "latin1");
  } catch {
    return null;
  }
  const files = new Map<string, number>();
  let [ownBytes, residentBytes, path] = [0, 0, ""];
  for (const line of text.split("\n")) {
    const mapping = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$/.exec(line);
    if (mapping !== null) path = mapping[1]!;
    else if (line.startsWith("Rss:")) residentBytes = kibOf(line);
    else if (line.startsWith("Anonymous:")) {
      const anonymousBytes = kibOf(line);
      ownBytes += anonymousBytes;
      if (residentBytes > anonymousBytes) files.set(path, (files.get(path) ?? 0) + residentBytes - anonymousBytes);
    }
  }
  return { ownBytes, files };
}

const kibOf = (line: string): number => Number(/(\d+) kB/.exec(line)?.[1]) * 1024;

/** Processes that are there now, by their pid files. */
function rolesOf(weir: Weir): Role[] {
  const names = readdirSync(join(weir.dataDir, "run")).flatMap((file) => /^(.*)\.pid$/.exec(file)?.[1] ?? []);
  return ["nats-server", ...names] as Role[];
}

function pidOf(weir: Weir, role: Role): number | null {
  try {
    return weir.pidOf(role);
  } catch {
    return null;
  }
}

function sample(weir: Weir, atMs: number): Sample {
  const files = new Map<string, number>();
  const processes: Record<string, number> = {};
  for (const role of rolesOf(weir)) {
    const pid = pidOf(weir, role);
    const memory = pid === null ? null : memoryOf(pid);
    if (memory === null) continue;
    processes[role] = memory.ownBytes;
    for (const [path, bytes] of memory.files) files.set(path, Math.max(files.get(path) ?? 0, bytes));
  }
  const fileBytes = sum([...files.values()]);
  return { atMs, bytes: sum(Object.values(processes)) + fileBytes, fileBytes, processes };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Looks once a second until `work` has ended. */
async function during<T>(weir: Weir, work: Promise<T>): Promise<{ result: T; samples: Sample[] }> {
  const startedAt = performance.now();
  const samples: Sample[] = [];
  const look = () => samples.push(sample(weir, Math.round(performance.now() - startedAt)));
  const timer = setInterval(look, LOOK_MS);
  try {
    return { result: await work, samples };
  } finally {
    clearInterval(timer);
    look();
  }
}

function summaryOf(samples: readonly Sample[]) {
  const of = (values: readonly number[]) => ({ medianBytes: percentile(values, 0.5), peakBytes: Math.max(...values) });
  const names = [...new Set(samples.flatMap(({ processes }) => Object.keys(processes)))].sort();
  return {
    all: of(samples.map(({ bytes }) => bytes)),
    files: of(samples.map(({ fileBytes }) => fileBytes)),
    processes: Object.fromEntries(
      names.map((name) => [name, of(samples.map(({ processes }) => processes[name] ?? 0))]),
    ),
    last: samples.at(-1),
    samples,
  };
}

async function runImport(
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

/** Memory of all processes of a Weir as a user starts it: alone, under a long import, and at rest after it. The importer's is not counted. */
export async function benchMemory({ events, idleSeconds }: MemoryOptions): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), "weir-bench-memory-"));
  await using weir = await startWeir({ command: [WEIR, "start"] });
  try {
    const idle = await during(weir, Bun.sleep(idleSeconds * 1000));
    const [path, map] = [join(folder, "events.jsonl"), join(folder, "map.json")];
    writeFileSync(map, JSON.stringify(MAPPING));
    const bytes = await writeEvents(path, events);
    const importing = await during(weir, runImport(weir, path, map, events));
    console.error(`import: ${importing.result.eventsPerSecond} events/s`);
    const compacting = await during(weir, untilCompacted(weir));
    const after = await during(weir, Bun.sleep(idleSeconds * 1000));
    const phases = {
      idle: summaryOf(idle.samples),
      importing: summaryOf(importing.samples),
      compacting: summaryOf(compacting.samples),
      after: summaryOf(after.samples),
    };
    return {
      bench: "memory",
      events,
      idleSeconds,
      bytesPerEvent: Math.round(bytes / events),
      import: importing.result,
      liveFiles: await liveFiles(weir),
      asked: { idleBytes: IDLE_MAX_BYTES, importingBytes: IMPORT_MAX_BYTES },
      found: {
        idleBytes: phases.idle.last!.bytes,
        importingBytes: Math.max(phases.importing.all.peakBytes, phases.compacting.all.peakBytes),
        afterBytes: phases.after.last!.bytes,
      },
      phases,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
