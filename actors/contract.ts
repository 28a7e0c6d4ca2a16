import type {
  AcceptedEvent,
  Bits,
  DropCause,
  EventRow,
  GroupTypes,
  IdentityNode,
  JsonObject,
  Lane,
  LogRow,
  Version,
} from "../src/types/mod.ts";

/** An event with the place it was read from: its address in the stream and its order. */
export interface Delivered {
  event: AcceptedEvent;
  lane: Lane;
  partition: number;
  /** Sequence of its frame in the lane's stream. */
  sequence: number;
  /** Index in the frame. */
  index: number;
  /** When the broker stored the frame, epoch milliseconds. */
  storedAtMs: number;
  /** The place of the event's statements in the order of all statements about persons and groups. */
  version: Version;
}

/** A row to be stored and the event it comes from. */
export interface StoredRow extends EventRow {
  source: Delivered;
}

/** A message to the outside or to a lane; published after the commit, in the order of its source. */
export interface Message {
  at: Delivered;
  /** An http(s) address that gets `body` as JSON, or `events`: `body` is the event to be taken in on the live lane. */
  target: string;
  body: JsonObject;
}

/** A note to the owner of the project about an event; shown at `ingestion_warnings/`. */
export interface ActorWarning {
  at: Delivered;
  /** Stable, lower_snake_case. */
  type: string;
  details: JsonObject;
  /** Whether the project gets it only once. On the identity lane a step gets copies of events too, and warns again. */
  isOnce?: boolean;
}

/** The result of a step; the runtime commits it together with the position. An absent field means none. */
export interface Effects {
  /**
   * The batch for the actors after this one, in the same order; the whole batch when absent. An event that is left out is
   * counted as dropped, under its cause.
   */
  pass?: readonly Delivered[];
  /** The causes of events that are left out; `dropped_by_actor` for the others. */
  causes?: ReadonlyMap<Delivered, DropCause>;
  rows?: readonly StoredRow[];
  /** Rows about persons and groups: that they exist, and their properties. */
  log?: readonly LogRow[];
  /** Nodes that merges have changed. */
  identities?: readonly IdentityNode[];
  /** New states by `stateKey`; JSON values. */
  states?: ReadonlyMap<string, unknown>;
  messages?: readonly Message[];
  warnings?: readonly ActorWarning[];
}

/** The facts that an actor needs for its step. */
export interface Needs {
  /** Names of group types by project, in the order in which they get an index when they have none. */
  groupTypes?: ReadonlyMap<number, readonly string[]>;
  /** Person uuids by project: the nodes of these and of all that share a survivor with one of them. */
  identities?: ReadonlyMap<number, ReadonlySet<string>>;
}

/**
 * What this worker remembers of a person from its own commits. The memory is bounded: that a person is not in it does not mean
 * that the person is new.
 */
export interface KnownPerson {
  /** As `personIdOf`. */
  personId: string;
  /** Version of the oldest `seen` row that was committed. */
  seen: Version;
  /**
   * Whether an event of this version must tell all again. Here and below, properties from the history lane are known to events of that
   * lane only: an unset between the two may have been committed before this worker knew of the person.
   */
  isNew(version: Version): boolean;
  /** Whether a property of this number (`src/persons`) is known to have been set. */
  hasSet(number: number, version: Version): boolean;
  /** Whether all of these properties have been set and written once, not later than `version`. */
  hasAll(numbers: Bits, version: Version): boolean;
  /** Whether the initial value of a property of this number was written once, not later than `version`. */
  hasOnce(number: number, version: Version): boolean;
}

/** The facts that the runtime has found for the step. */
export interface Known<State = unknown> {
  /** The kept state of a distinct_id by `stateKey`; absent where none was kept. */
  states: ReadonlyMap<string, State>;
  /** The indexes of a project whose types were asked for. */
  groupTypes(teamId: number): GroupTypes;
  /** All nodes that were asked for. */
  identities: readonly IdentityNode[];
  person(teamId: number, distinctId: string): KnownPerson | null;
}

/**
 * A step that decides what happens to events. Everything in it is pure: no clock, no network, no disk; the same arguments give the same
 * result, and the arguments are not changed. Times come with the events.
 *
 * When a step throws a RetryableError, the flush is tried again. For any other error the runtime finds the event that causes it
 * and sets it aside as a dead letter.
 */
export interface Actor<State = unknown> {
  /** Stable: kept states are found by it. */
  readonly name: string;
  /** The lanes that it works on; all lanes of events when absent. */
  readonly lanes?: readonly Lane[];
  /** Whether a state is kept for each distinct_id. */
  readonly keepsState?: boolean;
  /** The facts that it needs for this batch. */
  needs?(batch: readonly Delivered[]): Needs;
  step(batch: readonly Delivered[], known: Known<State>): Effects;
}
