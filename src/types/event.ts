import type { JsonObject } from "./json.ts";
import type { IllegalMerge, Merge } from "./merge.ts";

/**
 * Each lane has a stream with its own limits, so that live events never wait behind a migration (protocol rule 1). `overflow` takes
 * live events of a distinct_id that sends too much; their order is given up.
 */
export const EVENT_LANES = ["live", "history", "overflow"] as const;
export type EventLane = (typeof EVENT_LANES)[number];

/** `identity` carries merges: its order decides which person survives (protocol rule 6). It is partitioned by project. */
export const LANES = [...EVENT_LANES, "identity"] as const;
export type Lane = (typeof LANES)[number];

/** Bit flags that travel with an event. Stored in frames: never renumber. */
export const EventFlag = {
  /** The server made the uuid and its frame is stored once, so no copy can carry it: the duplicate check is skipped. */
  ServerUuid: 1,
  /** The server took part in the timestamp: a copy may fall on a neighbouring day. */
  ServerTime: 2,
  /** `$process_person_profile: false`: the event makes and changes no person. */
  Personless: 4,
  /** A worker found that the group that the event describes was deleted after it was accepted: the event makes and changes no group. */
  Groupless: 8,
} as const;

/** One event as the front accepted it: normalised, not yet stored. */
export interface AcceptedEvent {
  teamId: number;
  /** Canonical lower-case UUID. */
  uuid: string;
  /** Event name; no NUL, no lone surrogate, at most 200 UTF-16 units. */
  event: string;
  /** No NUL, no lone surrogate, not blank, at most 200 characters. */
  distinctId: string;
  /** Epoch milliseconds, UTC. */
  timestampMs: number;
  /** A JSON object as text, as the client wrote it; holds no line break and no control character. */
  properties: string;
  /** PostHog's text form of the clicked element and its parents; "" when there is none; no NUL, no lone surrogate. */
  elementsChain: string;
  /** Sum of `EventFlag`s. */
  flags: number;
  /**
   * Of a merging event: when the broker stored its copy on the identity lane, epoch milliseconds; else 0. The log
   * rows of the event come after its merge (protocol rule 6). Also of a later event of the same request.
   */
  mergedAtMs: number;
  /** Sequence of that copy, else 0: the event counts as stored when its merge is settled too. */
  mergeSequence: number;
}

/** The key of a distinct_id's state, as actors keep and find it. */
export function stateKey(event: Pick<AcceptedEvent, "teamId" | "distinctId">): string {
  return `${event.teamId}:${event.distinctId}`;
}

/** A part of a buffer, read as UTF-8. */
export interface Span {
  bytes: Buffer;
  start: number;
  end: number;
}

/** An event on its way into a frame. */
export interface OutgoingEvent extends Omit<AcceptedEvent, "properties"> {
  /** As in `AcceptedEvent`; a part of the request's body where the front has changed nothing. */
  properties: string | Span;
  /**
   * Members that `properties`, which has others, gets when it is written, each with a comma before it: joining the texts
   * earlier would copy every event once more.
   */
  added?: string;
  /** The merge that it asks for, null when none; absent: not read yet. */
  merge?: Merge | IllegalMerge | null;
}

/** A problem of an event that its sender should know, shown at `ingestion_warnings/`. */
export interface IngestionWarning {
  /** Stable, as PostHog names it (docs/capture-api.md#quarantined-events), e.g. `message_size_too_large`. */
  type: string;
  /** A few short fields by which the sender can be found (event, distinct_id, uuid, …). */
  details: JsonObject;
  /** Number of equal warnings, where there is more than one. */
  count?: number;
}

const WARNING_KEY_MAX_LENGTH = 200;

/** Tells warnings of one type apart: the distinct_id, else the name of the event. */
export function warningKey({ distinct_id: distinctId, event }: JsonObject): string {
  const key = distinctId ?? event ?? "";
  return (typeof key === "string" ? key : JSON.stringify(key)).slice(0, WARNING_KEY_MAX_LENGTH).toWellFormed();
}

/** A warning on its way to storage. */
export interface TeamWarning extends IngestionWarning {
  teamId: number;
}

/** Why an event of a valid request was quarantined or dropped. Part of the API (`ingestion_status.dropped_by_cause`). */
export type DropCause =
  | "missing_event_name"
  | "missing_distinct_id"
  | "message_size_too_large"
  | "invalid_uuid"
  | "invalid_event"
  | "invalid_event_timestamp"
  | "invalid_cookieless_mode"
  | "invalid_event_when_process_person_profile_is_false"
  | "performance_event"
  | "group_key_too_long"
  | "dropped_by_actor"
  /** Its project was deleted, or its person, before it could be stored. */
  | "deleted";

/** The counts of one project in the header of a frame, so that accepted = settled + queued stays exact (protocol rule 5). */
export interface TeamCounts {
  teamId: number;
  /** Events in the frame. */
  events: number;
  /** Quarantined events of the same requests, by cause. */
  dropped: Partial<Record<DropCause, number>>;
}

/** One row of a segment. */
export interface EventRow {
  teamId: number;
  uuid: string;
  event: string;
  distinctId: string;
  personId: string;
  timestampMs: number;
  /** The broker's stored time of the frame, epoch milliseconds. */
  createdAtMs: number;
  lane: EventLane;
  /** Order of acceptance within (lane, partition): stream sequence * 2^20 + index in frame. */
  ordinal: number;
  properties: string;
  elementsChain: string;
  /** Sum of `EventFlag`s. */
  flags: number;
}

/** Frames hold fewer events than this, so that `ordinal` keeps sequence and index apart. */
export const MAX_EVENTS_PER_FRAME = 1 << 20;

export function ordinalOf(sequence: number, index: number): number {
  return sequence * MAX_EVENTS_PER_FRAME + index;
}

export const DAY_MS = 86_400_000;

/** UTC day number of an epoch time. */
export function dayOf(timestampMs: number): number {
  return Math.floor(timestampMs / DAY_MS);
}

export function textOf(text: string | Span): string {
  return typeof text === "string" ? text : text.bytes.toString("utf8", text.start, text.end);
}
