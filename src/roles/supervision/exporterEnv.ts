/**
 * Of processes that export: DuckDB's allocator (jemalloc) gives freed memory back after 100 ms, and has one pool for all threads. By
 * default it waits ten seconds, so that a process holds much more than the engine uses, the more the longer it exports.
 */
export const EXPORTER_ENV = {
  DUCKDB_JE_MALLOC_CONF: "narenas:1,dirty_decay_ms:100,muzzy_decay_ms:0",
} as const;
