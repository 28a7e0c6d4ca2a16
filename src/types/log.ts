import type { Lane } from "./event.ts";

/**
 * Place in the one order of everything that is said of persons and groups (protocol rule 18): compared by `tMs`, then
 * `source`, then `ordinal`. Live and overflow: `tMs` is the time of acceptance, never below an earlier one of the same
 * lane and partition. History: the event's own time, so that an older value never wins.
 */
export interface Version {
  /** Epoch milliseconds. */
  tMs: number;
  /** `VERSION_SOURCE` of the lane. */
  source: number;
  /** As `ordinalOf`. */
  ordinal: number;
}

/** Stored: never renumber. A merge stands below what its own event says, hence identity comes first. */
export const VERSION_SOURCE: Record<Lane, number> = { identity: 0, history: 1, live: 2, overflow: 3 };

export function compareVersions(a: Version, b: Version): number {
  return a.tMs - b.tMs || a.source - b.source || a.ordinal - b.ordinal;
}

/** Whose property it is: of the person that a distinct_id stands for, or of a group. */
export type Subject = PersonSubject | { type: "group"; index: GroupIndex; key: string };

export interface PersonSubject {
  type: "person";
  distinctId: string;
  personId: string;
}

export type GroupIndex = 0 | 1 | 2 | 3 | 4;
export const MAX_GROUP_TYPES = 5;

interface Said {
  teamId: number;
  version: Version;
}

/**
 * `set` writes, `once` writes where there is nothing, `unset` removes. Of one subject and key a reader needs only the
 * newest set, the newest unset, and the oldest and the newest once; each choice is a maximum or minimum by version, so
 * that any batching gives the same.
 */
export interface PropertyRow extends Said {
  kind: "property";
  subject: Subject;
  op: "set" | "unset" | "once";
  key: string;
  /** JSON text; "" for `unset`. */
  value: string;
}

/**
 * Automatic properties that one event of a person tells, in one row in place of one or two for each (`expandFirst`). `first`:
 * each is set, and kept as first value under its `$initial_` key. `earlier`: only that, of an event that is older than what was
 * known, as they come when history arrives in no order.
 */
export interface FirstRow extends Said {
  kind: "first" | "earlier";
  subject: PersonSubject;
  /** JSON object text: plain values (`isPlainValue`) by the person's key. */
  values: string;
}

/** The subject exists since `atMs`. The row with the lowest version counts: the first that was accepted. */
export interface SeenRow extends Said {
  kind: "seen";
  subject: Subject;
  /** Epoch milliseconds. */
  atMs: number;
}

/** A merge that carried a distinct_id's person into another one, or into which that one's survivor went. */
export interface Move {
  /** The person that survived it. */
  into: string;
  tMs: number;
  ordinal: number;
}

/** A distinct_id that took part in merges, as the identity lane has decided up to `version`. The newest counts. */
export interface IdentityNode {
  teamId: number;
  distinctId: string;
  /** The uuid that stands in event rows of this distinct_id. */
  personId: string;
  /** The person that it belongs to now. */
  survivorId: string;
  /** Of the person; it is identified when any of its nodes is. */
  isIdentified: boolean;
  /** Of this node's person into others, oldest first; at most `MAX_MOVES`, the newest. */
  moves: Move[];
}

export interface IdentityRow extends Said, IdentityNode {
  kind: "identity";
}

export type LogRow = PropertyRow | FirstRow | SeenRow | IdentityRow;

/** Deeper histories forget their oldest moves: between values older than those the newer wins. */
export const MAX_MOVES = 32;
