import type { Found } from "./found.ts";

/** Counts the intervals in which actors are active. */
export interface Tally {
  readonly found: Found;
  /** The intervals of an actor come next. */
  begin(actor: number): void;
  /** The actor is active in it with these steps, one or more. In order of time; -1 is before all intervals. */
  interval(bucket: number, steps: number): void;
  /** There are no more of the actor. */
  finish(): void;
  /** There are no more actors. */
  end(): void;
}
