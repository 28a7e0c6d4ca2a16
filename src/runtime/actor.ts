import type { AcceptedEvent, EventLane, EventRow } from "../types/mod.ts";

/** An event with the place it was read from: its address in the stream and its order. */
export interface Delivered {
  event: AcceptedEvent;
  lane: EventLane;
  partition: number;
  /** Sequence of its frame in the lane's stream. */
  sequence: number;
  /** Index in the frame. */
  index: number;
  /** When the broker stored the frame, epoch milliseconds. */
  storedAtMs: number;
}

/** A row to be stored and the event it comes from. */
export interface StoredRow extends EventRow {
  source: Delivered;
}

/** What a step wants to become true; the runtime commits it together with the position. */
export interface Effects {
  rows: StoredRow[];
}

/**
 * What happens to an event. `step` is pure: no clock, no network, no disk; the same batch gives the same effects.
 * Throwing a RetryableError makes the runtime try the batch again; anything else thrown makes it find the event that
 * causes it and set that one aside as a dead letter.
 */
export interface Actor {
  readonly name: string;
  step(batch: readonly Delivered[]): Effects;
}
