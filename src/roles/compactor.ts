import { setPriority } from "node:os";
import type { Config } from "../config.ts";
import { Compactor, openCatalog } from "../lake/mod.ts";
import { logger } from "./log.ts";
import { openExistingRecords, openStorage } from "./paths.ts";
import { liveAsChild } from "./supervision/children.ts";

/** As for `nice`; other processes have 0. */
const COMPACTOR_PRIORITY = 10;

/** Of the engine's memory, for small jobs beside a large one. */
const HELPER_SHARE = 1 / 4;
/** With less an engine spills whatever it does. */
const HELPER_LEAST_BYTES = 64 * 1024 ** 2;

/** A compactor process; several on one catalog share the work. */
export async function runCompactor(config: Config): Promise<number> {
  // Compaction can wait; events and queries cannot.
  setPriority(COMPACTOR_PRIORITY);
  const holder = `compactor-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const db = await openExistingRecords(config);
  const log = logger(holder);
  const storage = openStorage(config, { log });
  const catalog = openCatalog(db);
  const engineBytes = config.compactMemoryBytes;
  const helperBytes = Math.floor(engineBytes * HELPER_SHARE);
  const isHelped = helperBytes >= HELPER_LEAST_BYTES;
  const made = (name: string, compactMemoryBytes: number, isHelper: boolean) =>
    new Compactor({ config: { ...config, compactMemoryBytes }, catalog, storage, holder: name, log, isHelper });
  const compactors = isHelped
    ? [made(holder, engineBytes - helperBytes, false), made(`${holder}-helper`, helperBytes, true)]
    : [made(holder, engineBytes, false)];
  liveAsChild(() => {
    for (const compactor of compactors) compactor.stop();
  });
  await Promise.all(compactors.map((compactor) => compactor.run()));
  await db.close();
  return 0;
}
