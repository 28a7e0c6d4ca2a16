import type { Found } from "./found.ts";
import type { Part, PartColumn } from "./walker.ts";

/** The intervals in which an actor is active, in order of time; -1 is before all intervals. They are lent. */
export interface ActiveIntervals {
  count: number;
  bucket: Int32Array;
  /** The steps with which it is active in each; there may be none. */
  steps: Int32Array;
}

/** Counts the intervals in which actors are active. */
export interface Tally {
  readonly found: Found;
  /** Takes all that there is of an actor. */
  add(actor: number, active: ActiveIntervals): void;
  /** What was counted of all actors. */
  part(): Part;
  /** Adds what was counted of other actors. */
  addPart(part: Part): void;
  /** There are no more actors. */
  end(): void;
}

/** Adds numbers to those at the same places. */
export function addUp(to: PartColumn, from: PartColumn): void {
  for (let i = 0; i < from.length; i++) to[i]! += from[i]!;
}
