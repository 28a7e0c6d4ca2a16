/** One export of a data set in a process of its own: `exportOnce.ts DATASET FOLDER`. Prints one line of JSON. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config.ts";
import { LakeExporter, LocalStore, openCatalog } from "../../src/lake/mod.ts";
import { openDb } from "../../src/schema.ts";
import { dataDirOf, openDataset } from "./dataset/dataset.ts";

export interface ExportOnce {
  records: number;
  bytes: number;
  elapsedMs: number;
  cpuMs: number;
  peakBytes: number;
}

async function main([path, folder]: string[]): Promise<ExportOnce> {
  const set = openDataset(path!);
  const dataDir = dataDirOf(set);
  const config = loadConfig({});
  const db = await openDb({ databaseUrl: null, sqlitePath: join(dataDir, "weir.db") });
  const scratch = join(folder!, "scratch");
  mkdirSync(scratch, { recursive: true });
  const exporter = new LakeExporter({
    catalog: openCatalog(db),
    storage: new LocalStore(join(dataDir, "lake")),
    memoryLimitBytes: config.exportMemoryBytes,
    spillLimitBytes: config.exportSpillBytes,
    scratch,
  });
  const startedAt = performance.now();
  let [bytes, files] = [0, 0];
  const records = await exporter.write(
    {
      teamId: set.vocabulary.team,
      source: { model: "events", fromMs: null, toMs: Number.MAX_SAFE_INTEGER / 1000, include: [], exclude: [] },
      form: { format: "Parquet", compression: "zstd", maxPartBytes: null },
      folder: join(scratch, "run"),
      signal: new AbortController().signal,
    },
    async (part) => {
      bytes += part.bytes;
      copyFileSync(part.path, join(folder!, `${files++}.parquet`));
    },
  );
  const elapsedMs = performance.now() - startedAt;
  await exporter.close();
  await db.close();
  const { user, system } = process.cpuUsage();
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { records, bytes, elapsedMs, cpuMs: (user + system) / 1000, peakBytes };
}

console.log(JSON.stringify(await main(process.argv.slice(2))));
