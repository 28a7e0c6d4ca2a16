export { type Catalog, openCatalog } from "./catalog/catalog.ts";
export { CommitRefused } from "./catalog/commit.ts";
export type { DayUsage, Settled } from "./catalog/counts.ts";
export type { StoredDeadLetter } from "./catalog/deadLetters.ts";
export { ErasedMeanwhile, eraseProjects, type WaitingErasure } from "./catalog/erasures.ts";
export type { CatalogFacts } from "./catalog/facts.ts";
export type { Generation } from "./catalog/generations.ts";
export type { GroupTypes } from "./catalog/groupTypes.ts";
export { CATALOG_MIGRATIONS } from "./catalog/migrations/mod.ts";
export type { WaitingMessage } from "./catalog/outbox.ts";
export type { LakeOverview } from "./catalog/overview.ts";
export { COMPACTOR_LEASE } from "./catalog/segments.ts";
export * from "./catalog/types.ts";
export type { StoredWarning } from "./catalog/warnings.ts";
export { Compactor, type CompactorOptions, type CompactorStats } from "./compaction/compactor.ts";
export { DuplicateIndex, type OwnedPartitions } from "./duplicates/duplicateIndex.ts";
export type { CheckedEvent } from "./duplicates/probes.ts";
export { type Lake, type LakeOptions, type LakeQuery, openLake, type QueryOutcome } from "./querying/door.ts";
export { JsonFile } from "./querying/jsonFile.ts";
export type { SqlValue, StatementProgress } from "./querying/messages.ts";
export type { ActivityRequest } from "./reading/dailyRollup.ts";
export type { EventsRequest, KeyPath } from "./reading/events.ts";
export type { Relations } from "./reading/relations.ts";
export { spillDirectory, sweepSpills } from "./storage/files.ts";
export { MAX_KEY_LENGTH } from "./typed/choose.ts";
export { type ColumnType, LAYOUT_MAX_COLUMNS, pointerOf } from "./typed/columns.ts";
export type { VerifyOptions } from "./verify/options.ts";
export { type ErasedReport, verifyErased } from "./verify/verifyErased.ts";
export { type FileProblem, type FilesReport, verifyFiles } from "./verify/verifyFiles.ts";
export { FlushLayouts } from "./writing/flushLayouts.ts";
export {
  type EventsPart,
  type FlushRows,
  SegmentWriter,
  type Written,
  type WrittenSegment,
} from "./writing/segmentWriter.ts";
