import type { Config } from "../config.ts";
import { type SegmentStore, someLiveIds } from "../lake/mod.ts";
import type { Db } from "../store/mod.ts";
import { RetryableError, TerminalError } from "../types/mod.ts";
import { paths } from "./paths.ts";

/** Of the live segments. */
const LOOKED_AT = 8;

/**
 * Checks, before anything is written, that these records and this place of segments belong together. In another Weir's place its files
 * would be removed as strays; and what one process writes to a place of its own, no other process finds. Records and segments that are
 * both in the data folder belong together. A store that does not answer now may do so later, and events are taken until then. Throws
 * TerminalError `store_of_another`, `store_lacks_files`, and `s3_refused` of a bucket whose settings are wrong.
 */
export async function checkStore(
  config: Config,
  { db, storage, log }: { db: Db; storage: SegmentStore; log(message: string): void },
): Promise<void> {
  const { storeUrl, databaseUrl } = config;
  if (storeUrl === null && databaseUrl === null) return;
  const place =
    storeUrl === null ? `${paths(config).lake} (WEIR_STORE_URL is not set)` : `${storeUrl} (WEIR_STORE_URL)`;
  try {
    const live = await db.read((tx) => someLiveIds(tx, LOOKED_AT));
    if (live.length === 0) await assertEmpty(place, storage);
    else await assertThere(place, storage, live);
  } catch (error) {
    if (!(error instanceof RetryableError) || error.code === "s3_refused") throw error;
    log(`the store of segments does not answer: ${error.message}`);
  }
}

async function assertEmpty(place: string, storage: SegmentStore): Promise<void> {
  const files = (await storage.list()).filter(({ part }) => part !== null && part !== "unfinished");
  if (files.length === 0) return;
  const problem = `${place} has ${files.length} files of segments, and this Weir has none`;
  throw new TerminalError("store_of_another", `${problem}: they are another Weir's. Name a place of its own.`);
}

/** One that is missing is damage, or was compacted meanwhile. */
async function assertThere(place: string, storage: SegmentStore, ids: readonly string[]): Promise<void> {
  for (const id of ids) if (await storage.has(storage.locate({ id, part: "rows" }))) return;
  const problem = `${place} lacks files that the records name, as ${ids[0]}`;
  throw new TerminalError("store_lacks_files", `${problem}. Is it the store of this Weir? \`weir doctor\` tells all.`);
}
