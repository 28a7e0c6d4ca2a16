import type { Instant } from "./instant.ts";

/** The code of no value. */
export const NO_CODE = 0;

/** Told of the attempt that counts for a value of the actor and a bucket; `times` are only lent. */
export type Tell = (attempt: { value: number; bucket: number; reached: number; times: Float64Array }) => void;

/** Walks over the events of one actor, or of one actor with one value. */
export interface ActorWalk {
  /** Takes the next instant, of which `bucket` is; -1 where no attempt may begin. */
  take(instant: Instant, bucket: number): void;
  /** Tells what was found, and forgets it. */
  finish(tell: Tell): void;
}
