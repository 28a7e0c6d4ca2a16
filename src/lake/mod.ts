export type * from "./catalog/mod.ts";
export {
  alone,
  CATALOG_MIGRATIONS,
  COMMIT_STEPS_MS,
  CommitRefused,
  concernsEvents,
  ErasedMeanwhile,
  eraseProjects,
  HEALTH_STEPS,
  liveSegments,
  openCatalog,
  someLiveIds,
} from "./catalog/mod.ts";
export { Compactor, type CompactorOptions } from "./compaction/mod.ts";
export { type CheckedEvent, DuplicateIndex, type OwnedPartitions } from "./duplicates/mod.ts";
export type { SqlValue } from "./engine/mod.ts";
export { COMPRESSIONS, type ExportSource, type FileForm, fileEnd, LakeExporter } from "./exporting/mod.ts";
export { foreignRows } from "./foreign/mod.ts";
export {
  DISTINCT_ID_COLUMNS,
  EVENT_COLUMNS,
  FIRST_PROPERTY_NUMBER,
  LakePublisher,
  PERSON_COLUMNS,
  type PublishView,
  type WrittenRows,
} from "./publishing/mod.ts";
export {
  ArrivalWatch,
  JsonFile,
  type Lake,
  type LakeOptions,
  type LakeQuery,
  openLake,
  type QueryOutcome,
  type StatementProgress,
} from "./querying/mod.ts";
export type { ActivityRequest, EventsRequest, KeyPath, Relations } from "./reading/mod.ts";
export {
  BucketStore,
  draftPath,
  fileName,
  filesOf,
  LocalStore,
  measureFiles,
  parseFileName,
  type SegmentFile,
  type SegmentStore,
  type StoredFile,
  spillDirectory,
  sweepSpills,
} from "./storage/mod.ts";
export { type ColumnType, LAYOUT_MAX_COLUMNS, MAX_KEY_LENGTH, mayHaveColumn, pointerOf } from "./typed/mod.ts";
export {
  type ErasedReport,
  type FilesReport,
  holdingFiles,
  type VerifyOptions,
  verifyErased,
  verifyFiles,
} from "./verify/mod.ts";
export type { NameMarks, WalkStatement } from "./walking/mod.ts";
export { FlushLayouts, SegmentWriter, type Written } from "./writing/mod.ts";
