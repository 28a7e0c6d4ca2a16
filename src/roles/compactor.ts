import { setPriority } from "node:os";
import type { Config } from "../config.ts";
import { Compactor, openCatalog } from "../lake/mod.ts";
import { logger } from "./log.ts";
import { openExistingRecords, openStorage } from "./paths.ts";
import { checkStore } from "./storeCheck.ts";
import { liveAsChild } from "./supervision/children.ts";

/** As for `nice`; other processes have 0. */
const COMPACTOR_PRIORITY = 10;

/** A compactor process; several on one catalog share the work. */
export async function runCompactor(config: Config): Promise<number> {
  // Compaction can wait; events and queries cannot.
  setPriority(COMPACTOR_PRIORITY);
  const holder = `compactor-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const db = await openExistingRecords(config);
  const log = logger(holder);
  const storage = openStorage(config, { log });
  await checkStore(config, { db, storage, log });
  const compactor = new Compactor({ config, catalog: openCatalog(db), storage, holder, log });
  liveAsChild(() => compactor.stop());
  await compactor.run();
  await db.close();
  return 0;
}
