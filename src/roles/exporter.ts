import { setPriority } from "node:os";
import type { Config } from "../config.ts";
import { hasExports } from "../metadata/mod.ts";
import { describeError, pauseUnless } from "../types/mod.ts";
import { logger } from "./log.ts";
import { openExistingRecords } from "./paths.ts";
import { liveAsChild } from "./supervision/children.ts";

/** As for `nice`: events and queries come first, compaction after. */
const EXPORTER_PRIORITY = 5;
const LOOK_MS = 500;

/**
 * A process that runs batch exports; several may run beside each other, and each run is done by one. What it needs for that it loads when
 * there is the first export: most Weirs have none.
 */
export async function runExporter(config: Config): Promise<number> {
  setPriority(EXPORTER_PRIORITY);
  const stopping = new AbortController();
  liveAsChild(() => stopping.abort());
  const log = logger(`exporter-${process.pid}`);
  const db = await openExistingRecords(config);
  const isWanted = () =>
    db.read(hasExports).catch((error) => {
      log(describeError(error));
      return false;
    });
  while (!stopping.signal.aborted && !(await isWanted())) await pauseUnless(stopping.signal, LOOK_MS);
  if (!stopping.signal.aborted) await (await import("./exportRuns.ts")).runExports(config, db, stopping.signal);
  await db.close();
  return 0;
}
