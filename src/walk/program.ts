import type { ActiveProgram } from "./activeProgram.ts";

// What is found out about an actor by walking over his events in order of time, which SQL cannot say fast.

/**
 * Walks over rows of `actor`, `timestamp`, `steps` and more, in order of actor and time (DESIGN.md). Gives a row for each actor (and value, and
 * bucket) that reached step 0: columns `actor` as in the rows, `value` where there is a breakdown (NULL where the actor has none), `bucket`
 * (the number of the bucket, from 0) where there are buckets, `reached` (how many steps, 1 to `steps`; optional ones that were left
 * out count as reached when a later one was), and the instants `t0`, `t1`, … of the steps of the attempt, NULL where a step was not reached
 * or left out; `unordered`: in order of time.
 */
export interface FunnelProgram {
  kind: "funnel";
  /** How many steps there are, 1 to 30. Bit k of a row's `steps` says that the event fits step k, counted from 0. */
  steps: number;
  /**
   * `ordered`: a step comes after the one before it, other events between them do not matter. `strict`: no other event is
   * between them; the rows are all events of the actor then. `unordered`: the steps come in any order.
   */
  order: "ordered" | "strict" | "unordered";
  /** The last step comes at most so long after the first one, inclusive. */
  windowMs: number;
  /** Bit k says that step k may be left out. */
  optional: number;
  /**
   * An event that fits the i-th of these (bit i of a row's `excluded`), after step `from` and before step `to` of an attempt,
   * ends the attempt; steps count from 0. `unordered`: from the first step to the last. Rows have `excluded` where there is any.
   */
  exclusions: { from: number; to: number }[];
  /**
   * Which value of the breakdown an actor has; null without a breakdown. Rows have `value` (any type, NULL where the event has none) with
   * one. `first`, `last`: that of his first or last row that has one. `all`: each of his values, by the rows that have it.
   * A number: each value of a row that fits that step, which counts as that step with this value only; `unordered`: 0, each value of
   * a row that begins an attempt.
   */
  attribution: "first" | "last" | "all" | number | null;
  /**
   * With these (epoch milliseconds, ascending) each attempt counts in the bucket in which it began: at most one row for an
   * actor, a value and a bucket, the deepest one. Null: one row for an actor and a value.
   */
  bucketStartsMs: number[] | null;
}

/**
 * The paths of all actors: rows of `actor`, `timestamp`, `uuid` (the order at one instant), `value` (the text of the item; NULL for an empty one),
 * and `steps` (1 where the item is the point, else 0). An item that the next one of the path repeats is no step; neither is an
 * empty one at its end. Gives a row for each edge: `place` (of its end, from 2), `before`, `item` (texts), `value` (how often), `total`
 * (milliseconds between the two, added up).
 */
export interface PathsProgram {
  kind: "paths";
  /** At most so many steps of a path count, 1 to 255. */
  stepLimit: number;
  /** A pause so long ends a path. */
  pauseMs: number;
  /** `start`: paths are cut at their first point, and begin with it; `end`: they end with it, and their last steps count. Null: no point. */
  point: "start" | "end" | null;
}

/**
 * The numbers of a funnel without buckets. Gives a row, with a breakdown one for each shown value: `line`; `c0`, `c1`, … (how many
 * did each step); `average1`, `median1`, … (seconds to a step; gaps of nothing do not count; NULL for none); and with a breakdown `shown` (text).
 */
export interface FunnelCountsProgram {
  kind: "funnelCounts";
  funnel: FunnelProgram;
  line: number;
  /** By step: from which other one the time is measured; null: it is not. */
  since: (number | null)[];
  /** So many values are shown, and the others together as `other`, or not at all. Null without a breakdown. */
  shown: { most: number; other: string | null } | null;
}

/** What is asked of a walk. */
export type Program = FunnelProgram | FunnelCountsProgram | ActiveProgram | PathsProgram;
