export { type Catalog, openCatalog } from "./catalog/catalog.ts";
export { CommitRefused } from "./catalog/commit.ts";
export type { Settled } from "./catalog/counts.ts";
export type { Generation } from "./catalog/generations.ts";
export { COMPACTOR_LEASE } from "./catalog/segments.ts";
export * from "./catalog/types.ts";
export { type CheckedEvent, DuplicateIndex, type OwnedPartitions } from "./duplicates/duplicateIndex.ts";
export { SegmentWriter, type WrittenSegment } from "./segmentWriter.ts";
