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
 * Between turns. The order of what is said of persons is told in milliseconds, and a merge and what comes after it stand one
 * above the time of their acceptance: so much must pass until another merge stands above them.
 */
export const TURN_GAP_MS = 2;
