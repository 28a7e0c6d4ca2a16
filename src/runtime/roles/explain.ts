import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { openCatalog, openLake } from "../../lake/mod.ts";
import { runExplain } from "../../manage/mod.ts";
import { logger } from "../log.ts";
import { openExistingRecords, paths } from "../paths.ts";

/** `weir explain …`, with a query process of its own beside those of a running Weir. */
export async function runExplainRole(config: Config, argv: string[]): Promise<number> {
  const log = logger("explain");
  const db = await openExistingRecords(config);
  const { lake: directory, run } = paths(config);
  const runDirectory = join(run, `explain-${process.pid}`);
  const options = { config: { ...config, queryProcesses: 1 }, catalog: openCatalog(db), directory, runDirectory, log };
  const lake = openLake(options);
  try {
    await runExplain(argv, { config, db, lake, log });
    return 0;
  } finally {
    await lake.close();
    await db.close();
    rmSync(runDirectory, { recursive: true, force: true });
  }
}
