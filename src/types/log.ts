import type { Lane } from "./event.ts";

/**
 * Place of a log row in the one order of all rows (protocol rule 18): compared by `tMs`, then
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

/** Stored: never renumber. A merge comes before the rows of its own event, hence identity is the lowest. */
export const VERSION_SOURCE: Record<Lane, number> = { identity: 0, history: 1, live: 2, overflow: 3 };

export function compareVersions(a: Version, b: Version): number {
  return a.tMs - b.tMs || a.source - b.source || a.ordinal - b.ordinal;
}

/** The owner of a log row: the person of a distinct_id, or a group. */
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
 * and version is of one event: it removes a value that was there, and writes where there was none. Of one subject and key a reader
 * needs the newest set or unset, the newer onces, and newer rows that one event both sets and unsets. Each choice is by
 * version, so that any batching gives the same.
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
 * Automatic properties of one event of a person, in one row instead of one or two for each (`expandFirst`). `first`: each is
 * set, and kept as first value under its `$initial_` key. `earlier`: only kept as first value, by an event of history that is
 * older than all known ones.
 */
export interface FirstRow extends Said {
  kind: "first" | "earlier";
  subject: PersonSubject;
  /** JSON object text: plain values (`isPlainValue`) by the person's key. */
  values: string;
}

/** The subject exists since `atMs`. The row with the lowest version counts: the first accepted one. */
export interface SeenRow extends Said {
  kind: "seen";
  subject: Subject;
  /** Epoch milliseconds. */
  atMs: number;
}

/**
 * A merge that carried the person of a distinct_id into another one. Its version is its place between values (protocol rule 19):
 * that of its own event's rows, so with history the event's time. Its source is that of the identity lane.
 */
export interface Move {
  /** The surviving person. */
  into: string;
  tMs: number;
  ordinal: number;
}

/** A distinct_id that took part in merges, as the identity lane has decided up to `version`. The newest counts. */
export interface IdentityNode {
  teamId: number;
  distinctId: string;
  /** The person uuid in event rows of this distinct_id. */
  personId: string;
  /** The person of this distinct_id after all merges up to `version`. */
  survivorId: string;
  /** A person is identified when any of its nodes is. */
  isIdentified: boolean;
  /** The merges of this node's person into others, by version, oldest first; the newest `MAX_MOVES`. */
  moves: Move[];
}

export interface IdentityRow extends Said, IdentityNode {
  kind: "identity";
}

export type LogRow = PropertyRow | FirstRow | SeenRow | IdentityRow;

/**
 * First values of one subject and key that compaction keeps after the newest set or unset, oldest first, and the newest besides.
 * The oldest holds; a later one holds when an unset arrives late that is newer than all before it.
 */
export const MAX_ONCES = 16;

/** Deeper histories forget their oldest moves: between values older than those the newer wins. */
const MAX_MOVES = 32;

/**
 * The moves of a node after one more, in the order of the identity lane. A move that is older than the last means that the other
 * two were one person by then already, so the last went there at once. So versions only grow, and each move tells the person
 * of the node from its version on.
 */
export function withMove(moves: readonly Move[], move: Move): Move[] {
  const last = moves.at(-1);
  const isLater = last === undefined || move.tMs > last.tMs || (move.tMs === last.tMs && move.ordinal > last.ordinal);
  if (!isLater) return [...moves.slice(0, -1), { ...last, into: move.into }];
  return [...moves, move].slice(-MAX_MOVES);
}
