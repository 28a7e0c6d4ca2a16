import type { Catalog } from "../catalog/catalog.ts";
import type { Reader } from "../compaction/facts.ts";
import { Engine } from "../duckdb.ts";
import { spillDirectory } from "../files.ts";

export interface VerifyOptions {
  catalog: Catalog;
  /** Where the segments lie. */
  directory: string;
  memoryLimitBytes: number;
}

const SPILL_LIMIT_BYTES = 8 * 1024 ** 3;

/** Lends an engine for as long as `body` takes. */
export async function withReader<T>(options: VerifyOptions, body: (reader: Reader) => Promise<T>): Promise<T> {
  const engine = new Engine({
    // Ingestion and queries go on beside it.
    threads: 1,
    memoryLimitBytes: options.memoryLimitBytes,
    tempDirectory: spillDirectory(options.directory),
    tempLimitBytes: SPILL_LIMIT_BYTES,
  });
  try {
    return await body(engine);
  } finally {
    await engine.close();
  }
}
