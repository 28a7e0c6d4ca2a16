export { type Catalog, openCatalog } from "./catalog.ts";
export { isFull } from "./columns.ts";
export { CommitRefused } from "./commit.ts";
export type { DayUsage, Settled } from "./counts.ts";
export type { StoredDeadLetter } from "./deadLetters.ts";
export { ErasedMeanwhile, eraseProjects, type RecordedErasure, type WaitingErasure } from "./erasures.ts";
export type { CatalogFacts } from "./facts.ts";
export type { Generation } from "./generations.ts";
export type { GroupTypes } from "./groupTypes.ts";
export type { ErasedPerson } from "./leftovers.ts";
export type { WaitingMessage } from "./outbox.ts";
export type { LakeOverview } from "./overview.ts";
export { COMPACTOR_LEASE } from "./segments.ts";
export { teamSpan } from "./teamSpan.ts";
export type {
  ActorState,
  Claim,
  Commit,
  CommitWarning,
  DeadLetter,
  Epoch,
  Erasure,
  KnownSegment,
  LiveSegment,
  OutboxMessage,
  Position,
  SegmentChanges,
  SegmentFacts,
  SegmentKind,
  SegmentState,
  SettledCounts,
  Snapshot,
  SnapshotSegment,
  TeamRange,
  UsageCount,
} from "./types.ts";
export type { WantedColumn } from "./wantedColumns.ts";
export type { StoredWarning } from "./warnings.ts";
