import type { DropCause, GroupIndex, IdentityNode, Lane, SeenDefinitions, TeamWarning } from "../../types/mod.ts";
import type { TypedColumn } from "../typed/mod.ts";

/** Rows of one project in a segment; rows are sorted by team, so they are a range. */
export interface TeamRange {
  teamId: number;
  /** First row of the project in the file, counted from 0. */
  rowStart: number;
  rowCount: number;
  minMs: number;
  maxMs: number;
}

export type SegmentKind = "events" | "log" | "roster";
/** Being written, read, taken away by compaction, of no use to anybody. */
export type SegmentState = "pending" | "live" | "replaced" | "dead";

/**
 * The catalog's facts of a segment. `<id>.parquet` holds the rows, `<id>.keys` the duplicate keys, `<id>.activity.parquet`
 * the daily rollup, `<id>.journey` the journey.
 */
export interface SegmentFacts {
  id: string;
  /** `events`; `log`: facts about persons and groups; `roster`: numbers of persons. Only events have `.keys`. */
  kind: SegmentKind;
  /** Version of the catalog whose merges `person_id` follows already; 0: none. */
  squashedThrough: number;
  /** 0: written by a worker's flush; above: by compaction. */
  level: number;
  /** The only project in it, or null where small projects share. */
  teamId: number | null;
  generation: number;
  rowCount: number;
  /** All its files together. */
  sizeBytes: number;
  /** Text of its wide rows (`writing/textSizes.ts`): what bounds the memory of a statement that reads them. */
  wideBytes: number;
  /** As `measureFiles`; '' where it was written before there were any. */
  checksum: string;
  minMs: number;
  maxMs: number;
  teams: TeamRange[];
  /** Stream partitions whose events it holds. */
  partitions: number[];
  /** Typed columns: so many of the layout of its only project. 0: all properties are in one JSON text. */
  columns: number;
  /** Ids of those whose key some rows have outside the column. */
  exceptions: number[];
  /** Events carry the number of their person (`people/roster.ts`). */
  isNumbered: boolean;
  /** The zone of the days in its daily rollup; null where it has none. */
  rollupZone: string | null;
  /** A journey lies beside it (`journeys/`). */
  hasJourney: boolean;
  /** A copy of its rows in order of person lies beside it (`compaction/personRowsWriter.ts`). */
  hasPersonRows: boolean;
}

/** A worker's right to a partition: valid until another process raises the epoch. */
export interface Epoch {
  partition: number;
  epoch: number;
}

export interface Position {
  lane: Lane;
  partition: number;
  /** Sequence of the last frame that is settled; reading goes on at position + 1. */
  position: number;
  /** Highest version time given so far (protocol rule 18); later ones are not below it. */
  lastMs: number;
  /** Claims since the last commit; 3 and more means that something in it kills workers. */
  attempts: number;
  /** Ordinals of events that were tried alone when three workers died (protocol rule 22). */
  poisoned: number[];
}

export interface Claim {
  epoch: Epoch;
  positions: Position[];
}

/** How the events of one project ended in a commit. */
export interface SettledCounts {
  teamId: number;
  stored: number;
  duplicates: number;
  dropped: Partial<Record<DropCause, number>>;
}

export interface DeadLetter {
  teamId: number;
  lane: Lane;
  partition: number;
  sequence: number;
  index: number;
  /** Stable, e.g. `killed_the_worker`, `refused_by_storage`, `actor_failed`. */
  reason: string;
  detail: string;
  /** The event as JSON text; "" where nothing could be read. */
  event: string;
  /** Of the event: the deletion of a person finds the letter by it. Null where nothing could be read. */
  distinctId: string | null;
}

/** Something the owner of a project should know, with what makes it equal to others. */
export interface CommitWarning extends TeamWarning {
  /** Warnings of equal type and key within an hour are shown once, with a count. */
  key: string;
  /** The part of the service that gave it, e.g. `capture`. */
  source: string;
  atMs: number;
  /** Of an event that is warned of once, however often it is sent. */
  onceUuid?: string;
}

/** Everything that becomes true together (protocol rule 9). */
export interface Commit {
  /** Unique: an unknown outcome is settled by looking for it. */
  id: string;
  generation: number;
  /** Rows deleted up to this version of the catalog are left out. */
  erasedThrough: number;
  epochs: Epoch[];
  moves: { lane: Lane; partition: number; from: number; to: number; lastMs: number }[];
  /** Written before, registered as pending; at most one of each kind. */
  segments: SegmentFacts[];
  /** Nodes that merges have changed, as they are now. */
  identities: IdentityNode[];
  /** Stored events that merge, as many as have their copies in one frame of the identity lane: stored when that is settled too. */
  merging: { teamId: number; partition: number; sequence: number; events: number }[];
  usage: UsageCount[];
  states: ActorState[];
  messages: OutboxMessage[];
  counts: SettledCounts[];
  deadLetters: DeadLetter[];
  warnings: CommitWarning[];
  /** Events and properties that may have no definition yet; a project gets at most `max` of each. */
  definitions: { seen: readonly SeenDefinitions[]; max: number };
}

/** Events accepted on a UTC day. */
export interface UsageCount {
  teamId: number;
  day: number;
  /** `historical_recent`: of the historical ones those younger than 48 hours; it is never the charge. */
  kind: "billable" | "historical" | "historical_recent";
  events: number;
}

/** The state that an actor keeps of a distinct_id; JSON text. */
export interface ActorState {
  actor: string;
  teamId: number;
  distinctId: string;
  state: string;
}

/** A message on its way out, published after the commit by the partition's owner (protocol rule 14). */
export interface OutboxMessage {
  /** From its source's place, so that a receiver knows a copy: `<generation>.<lane>.<sequence>.<index>.<n>`. */
  messageId: string;
  teamId: number;
  partition: number;
  /** Where it goes: an http(s) address. */
  target: string;
  /** JSON text. */
  body: string;
}

/** A segment that queries read now. */
export interface LiveSegment extends SegmentFacts {
  liveFrom: number;
  /** Rows deleted up to this version of the catalog are not in it. */
  erasedThrough: number;
  /** Jobs of compaction that failed of it, or during which the process died. */
  failures: number;
}

/** A segment in any state. Of one that is being written only the id is known. */
export interface KnownSegment
  extends Pick<LiveSegment, "id" | "kind" | "erasedThrough" | "rollupZone" | "hasJourney" | "hasPersonRows"> {
  state: SegmentState;
}

/** What changed in the set of live segments. */
export interface SegmentChanges {
  version: number;
  added: LiveSegment[];
  /** Every live id: all other segments have gone. */
  liveIds: Set<string>;
}

/** A file as a question about one project sees it: rows and times are the project's. */
export interface SnapshotSegment
  extends Omit<
    LiveSegment,
    | "kind"
    | "teamId"
    | "generation"
    | "sizeBytes"
    | "wideBytes"
    | "checksum"
    | "teams"
    | "partitions"
    | "liveFrom"
    | "failures"
  > {
  /** No other project has rows in it. */
  isOwn: boolean;
  rowStart: number;
}

/** What a deletion is of: all of a project, or what was accepted until then of something in it. */
export type ErasureSubject =
  | { kind: "project" }
  /** `personIds`: every id whose rows were the person's (an id is of one project only). `withEvents`: its events and merges too; else only its properties. */
  | { kind: "person"; personIds: readonly string[]; withEvents: boolean }
  /**
   * The events that carry this import's id, and nothing else. `columnId`: of the typed column that the project's layout has for it, as
   * layouts of before may; null where none.
   */
  | { kind: "import"; importId: string; columnId: number | null }
  /** The group itself; its events stay. `type`: the name of its type. */
  | { kind: "group"; index: GroupIndex; type: string; key: string };

/** A deletion. */
export type Erasure = ErasureSubject & {
  /** Of the catalog: rows of files that were live before it are meant. */
  version: number;
  teamId: number;
};

/** The files that one question reads, from one version of the catalog. */
export interface Snapshot {
  version: number;
  teamId: number;
  /** Files of events. */
  segments: SnapshotSegment[];
  /** Those without events in the range. */
  outside: SnapshotSegment[];
  /** Files of the log of persons and groups; all of the project's, for every range. */
  logs: SnapshotSegment[];
  /** The numbers of persons; null while there are none. */
  roster: SnapshotSegment | null;
  /** Of the project; a file has the first `columns` of it. */
  layout: TypedColumn[];
  /** Deletions in the project whose rows may still be in a file. */
  erasures: Erasure[];
  /** Of the last commit that merged persons; a segment squashed through it needs no look-up of persons. */
  mergesVersion: number;
}
