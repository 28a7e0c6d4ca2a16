/** Where a machine has much memory, Bun lets garbage pile up to a part of that. */
const COLLECT_AS_WITH_BYTES = 400_000_000;
/**
 * By default Bun then goes through all memory at every second collection, as the new objects between two are less than a third of all. With a tenth
 * it does so a third less often, and the memory is the same within 3 %.
 */
const LEAST_NEW_PART = 0.1;

/** Of every process: Bun collects garbage as on a small machine, for a tenth more CPU in a worker. A setting of the operator comes first. */
export const GARBAGE_ENV = {
  BUN_JSC_forceRAMSize: process.env.BUN_JSC_forceRAMSize ?? String(COLLECT_AS_WITH_BYTES),
  BUN_JSC_minEdenToOldGenerationRatio: process.env.BUN_JSC_minEdenToOldGenerationRatio ?? String(LEAST_NEW_PART),
} as const;

/**
 * Of processes that write files: DuckDB's allocator (jemalloc) gives freed memory back after 100 ms, and has one pool for all threads. By
 * default it waits ten seconds, so that a process holds much more than the engine uses, the more the longer it writes. What DuckDB takes from
 * the C library has two pools: by default each thread that ever ran a statement keeps 4 to 7 MiB in one of its own.
 */
export const WRITER_ENV = {
  DUCKDB_JE_MALLOC_CONF: "narenas:1,dirty_decay_ms:100,muzzy_decay_ms:0",
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2",
} as const;
