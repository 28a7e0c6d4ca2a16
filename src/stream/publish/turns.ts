import type { AcceptedEvent, Lane, OutgoingEvent } from "../../types/mod.ts";

/** Events of a request that are sent together: the copies of those that merge first, then all of them. */
export interface Turn {
  events: OutgoingEvent[];
  /** Those that merge, and what goes to the identity lane ahead of each. */
  merging: { event: OutgoingEvent; copy: AcceptedEvent }[];
  /** Other events of ids that the request has merged before them. */
  later: OutgoingEvent[];
}

/** Cuts a request into turns, in order, at least one; the bus itself does not know what merges. */
export type CutTurns = (request: { lane: Lane; events: OutgoingEvent[] }) => Turn[];

/**
 * The pause between turns. Merges and properties are ordered by milliseconds: a merge, and what comes after it, counts as one
 * millisecond later than its acceptance, so this must pass before another merge counts as later still.
 */
export const TURN_GAP_MS = 2;
