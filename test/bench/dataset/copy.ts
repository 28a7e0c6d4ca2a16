import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Dataset, dataDirOf, dataset } from "./dataset.ts";

/** A data folder that holds the data set, for one measurement. */
export interface DatasetCopy {
  dataDir: string;
  /** What it is a copy of. */
  set: Dataset;
  [Symbol.dispose](): void;
}

/** Hard links to the lake's files: whatever a Weir does to its own, the data set stays as it is. */
export async function copyDataset(events: number): Promise<DatasetCopy> {
  const set = await dataset(events);
  const source = dataDirOf(set);
  const scratch = mkdtempSync(join(set.path, "run-"));
  const dataDir = join(scratch, "data");
  Bun.spawnSync(["cp", "-al", source, dataDir]);
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith("weir.db"))) {
    rmSync(join(dataDir, name));
    Bun.spawnSync(["cp", join(source, name), join(dataDir, name)]);
  }
  rmSync(join(dataDir, "nats"), { recursive: true, force: true });
  return { dataDir, set, [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
}
