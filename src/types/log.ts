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
/** The indexes of a project's group types, by name. */
export type GroupTypes = ReadonlyMap<string, GroupIndex>;

interface Said {
  teamId: number;
  version: Version;
}

/**
 * `set` writes, `once` writes where there is nothing, `unset` removes. A set or once with an unset of the same subject, key
 * and version is of one event: it removes what was there, and writes where there was nothing. Of one subject and key a reader
 * needs only the newest set or unset, and of what is newer the onces and what one event both sets and unsets; each choice
 * is by version, so that any batching gives the same.
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

/**
 * A merge that carried a distinct_id's person into another one. Its version says where it stands between values (protocol
 * rule 19): where its own event's rows stand, so with history at the event's time. Its source is that of the identity lane.
 */
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
  /** Of this node's person into others, by version, oldest first; at most `MAX_MOVES`, the newest. */
  moves: Move[];
}

export interface IdentityRow extends Said, IdentityNode {
  kind: "identity";
}

export type LogRow = PropertyRow | FirstRow | SeenRow | IdentityRow;

/**
 * First values of one subject and key that compaction keeps after the newest set or unset: the oldest holds, each of the
 * others where an unset comes late that is newer than all before it. Of more the oldest and the newest stay.
 */
export const MAX_ONCES = 16;

/** Deeper histories forget their oldest moves: between values older than those the newer wins. */
export const MAX_MOVES = 32;

/**
 * The moves of a node after one more, in the order of the identity lane. One that is older than the last says that the
 * other two were one person by then already: the last went there at once. So versions only grow, and each move tells where
 * the node was from its version on.
 */
export function withMove(moves: readonly Move[], move: Move): Move[] {
  const last = moves.at(-1);
  const isLater = last === undefined || move.tMs > last.tMs || (move.tMs === last.tMs && move.ordinal > last.ordinal);
  if (!isLater) return [...moves.slice(0, -1), { ...last, into: move.into }];
  return [...moves, move].slice(-MAX_MOVES);
}
