import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { WRITER_ENV } from "../../src/roles/supervision/memoryEnv.ts";
import { EVENTS_FILE } from "./dataset/base.ts";
import { baseOf, type Dataset, dataset } from "./dataset/dataset.ts";
import type { ExportOnce } from "./exportOnce.ts";
import { rounded } from "./report.ts";

export interface ExportOptions {
  /** The largest data set; the others have a tenth and three tenths of its events. */
  events: number;
  /** Of each data set, each by a process of its own. */
  runs: number;
}

const ONCE = new URL("exportOnce.ts", import.meta.url).pathname;
const SHARES = [0.1, 0.3, 1];

/** How fast events leave, and what memory an exporter takes for more and more of them. Throws where an export has not all of them. */
export async function benchExport({ events, runs }: ExportOptions): Promise<object> {
  const sizes: object[] = [];
  for (const share of SHARES) {
    const set = await dataset(Math.round(events * share));
    const wanted = await checksumOf(join(baseOf(set), EVENTS_FILE));
    const figures: object[] = [];
    for (let run = 0; run < runs; run++) figures.push(await exported(set, wanted));
    sizes.push({ events: set.vocabulary.events, persons: set.vocabulary.persons, runs: figures });
  }
  return { bench: "export", events, runs, sizes };
}

async function exported(set: Dataset, wanted: string): Promise<object> {
  const folder = mkdtempSync(join(set.path, "run-"));
  try {
    mkdirSync(folder, { recursive: true });
    const child = Bun.spawn([process.execPath, ONCE, set.path, folder], {
      env: { ...process.env, ...WRITER_ENV },
      stdout: "pipe",
      stderr: "inherit",
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error("the export failed");
    const { records, bytes, elapsedMs, cpuMs, peakBytes } = JSON.parse(text.trim()) as ExportOnce;
    const found = await checksumOf(join(folder, "*.parquet"));
    if (found !== wanted) throw new Error(`the export has ${found}, and the data set ${wanted}`);
    const figures = {
      eventsPerSecond: Math.round((records / elapsedMs) * 1000),
      elapsedMs: Math.round(elapsedMs),
      cpuUsPerEvent: rounded((cpuMs * 1000) / records),
      bytesPerEvent: Math.round(bytes / records),
      peakBytes,
    };
    console.error(`${records} events: ${figures.eventsPerSecond} events/s, ${Math.round(peakBytes / 1e6)} MB`);
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A count and a sum over every event, whatever their order, and the order of members in their properties. */
async function checksumOf(files: string): Promise<string> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    `select count(*) || ' events, sum ' || sum(hash(concat_ws(chr(31), uuid, event, distinct_id, person_id,
       epoch_us("timestamp"), list_sort(string_split(properties[3:-2], ',"')))))::varchar from read_parquet('${files}')`,
  );
  connection.closeSync();
  instance.closeSync();
  return String(reader.getRows()[0]?.[0]);
}
