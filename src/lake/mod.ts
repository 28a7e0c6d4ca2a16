export { CATALOG_MIGRATIONS } from "./catalog/migrations/mod.ts";
export {
  type ActorState,
  type Catalog,
  type CatalogFacts,
  type Claim,
  COMPACTOR_LEASE,
  type Commit,
  CommitRefused,
  type CommitWarning,
  type DayUsage,
  type DeadLetter,
  type Epoch,
  ErasedMeanwhile,
  type Erasure,
  eraseProjects,
  type Generation,
  type GroupTypes,
  type KnownSegment,
  type LakeOverview,
  type LiveSegment,
  type OutboxMessage,
  openCatalog,
  type Position,
  type SegmentChanges,
  type SegmentFacts,
  type SegmentKind,
  type SegmentState,
  type Settled,
  type SettledCounts,
  type Snapshot,
  type SnapshotSegment,
  type StoredDeadLetter,
  type StoredWarning,
  type TeamRange,
  type UsageCount,
  type WaitingErasure,
  type WaitingMessage,
} from "./catalog/mod.ts";
export { Compactor, type CompactorOptions, type CompactorStats } from "./compaction/mod.ts";
export { type CheckedEvent, DuplicateIndex, type OwnedPartitions } from "./duplicates/mod.ts";
export {
  JsonFile,
  type Lake,
  type LakeOptions,
  type LakeQuery,
  openLake,
  type QueryOutcome,
  type SqlValue,
  type StatementProgress,
} from "./querying/mod.ts";
export type { ActivityRequest, EventsRequest, KeyPath, Relations } from "./reading/mod.ts";
export { LocalStore, type SegmentStore, spillDirectory, sweepSpills } from "./storage/mod.ts";
export { type ColumnType, LAYOUT_MAX_COLUMNS, MAX_KEY_LENGTH, pointerOf } from "./typed/mod.ts";
export {
  type ErasedReport,
  type FileProblem,
  type FilesReport,
  type VerifyOptions,
  verifyErased,
  verifyFiles,
} from "./verify/mod.ts";
export {
  type EventsPart,
  FlushLayouts,
  type FlushRows,
  SegmentWriter,
  type Written,
  type WrittenSegment,
} from "./writing/mod.ts";
