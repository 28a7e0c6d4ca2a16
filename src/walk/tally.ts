import type { Found } from "./found.ts";
import type { Part, PartColumn } from "./walker.ts";

/** Counts the intervals in which actors are active. */
export interface Tally {
  readonly found: Found;
  /** The intervals of an actor come next. */
  begin(actor: number): void;
  /** The actor is active in it with these steps, one or more. In order of time; -1 is before all intervals. */
  interval(bucket: number, steps: number): void;
  /** There are no more of the actor. */
  finish(): void;
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
