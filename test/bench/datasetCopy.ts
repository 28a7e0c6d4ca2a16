import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dataset } from "./dataset.ts";

/** A data folder that holds the data set, for one measurement. */
export interface DatasetCopy {
  dataDir: string;
  [Symbol.dispose](): void;
}

/** Hard links to the lake's files: whatever a Weir does to its own, the data set stays as it is. */
export async function copyDataset(events: number): Promise<DatasetCopy> {
  const source = await dataset(events);
  const scratch = mkdtempSync(join(source, "..", "run-"));
  const dataDir = join(scratch, "data");
  Bun.spawnSync(["cp", "-al", source, dataDir]);
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith("weir.db"))) {
    rmSync(join(dataDir, name));
    Bun.spawnSync(["cp", join(source, name), join(dataDir, name)]);
  }
  rmSync(join(dataDir, "nats"), { recursive: true, force: true });
  return { dataDir, [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
}
