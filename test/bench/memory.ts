import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWeir } from "../support/weir.ts";
import { liveFiles, untilCompacted } from "./compaction.ts";
import { MAPPING, runImport, WEIR, writeEvents } from "./import.ts";
import { percentile } from "./report.ts";
import { during, type Sample } from "./weirMemory.ts";

export interface MemoryOptions {
  events: number;
  /** How long the Weir is left alone before and after. */
  idleSeconds: number;
}

/** Of all processes together, by default. */
const IMPORT_MAX_BYTES = 1_500_000_000;
const IDLE_MAX_BYTES = 300_000_000;

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

/** Memory of all processes of a Weir as a user starts it: alone, under a long import, and at rest after it. The importer's is not counted. */
export async function benchMemory({ events, idleSeconds }: MemoryOptions): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), "weir-bench-memory-"));
  await using weir = await startWeir({ command: [WEIR, "start"] });
  try {
    const idle = await during(weir, Bun.sleep(idleSeconds * 1000));
    const [path, map] = [join(folder, "events.jsonl"), join(folder, "map.json")];
    writeFileSync(map, JSON.stringify({ ...MAPPING, uuid: "uuid" }));
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
