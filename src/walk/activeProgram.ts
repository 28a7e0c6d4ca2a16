/**
 * Finds in which intervals actors are active. Rows have `actor`, `timestamp` and `steps`: bit k, from 0, says that the event is
 * one of step k. An event is in the last interval that does not begin after it, or before all of them.
 */
export interface ActiveProgram {
  kind: "active";
  /** How many steps there are, 1 to 30. */
  steps: number;
  /** Where the intervals begin, in epoch milliseconds, ascending. Of equal ones the last has the events. */
  bucketStartsMs: number[];
  /** By step: an actor is active with so many events of one interval, both ends within; null for no end. `least`: 1 or more. */
  enough: { least: number; most: number | null }[];
  gives: ActiveGives;
}

/**
 * What the walk gives, of all steps that are active in an interval:
 *
 * - `counts`: rows (`line`, `intervals`, `actors`): how many actors were active in so many intervals, 1 or more; `lines` are the numbers by which
 *   steps are told.
 * - `statuses`: rows (`bucket`, `new`, `returning`, `resurrecting`, `dormant`) for each interval of step 0 in which actors were active, how many of
 *   them: were never active before and made in it, at a time of `made` (epoch ms, both ends within); were active in the interval before; all others; and were not active in the next one.
 * - `returns`: rows (`cohort`, `column`, `actors`): how many actors started (step 0) in interval `cohort`, and of those who came back
 *   (step 1) in interval `cohort` + i, with i in `columns[column - 1]`; column 0 has all who started. `isCumulative`: in a column, or in a
 *   later one. `isFirst`: only the first interval of step 0 is a start, and none where it is before all of them.
 */
export type ActiveGives =
  | { kind: "counts"; lines: number[] }
  | { kind: "statuses"; made: { fromMs: number | null; toMs: number } }
  | { kind: "returns"; columns: IntervalsAfter[]; isCumulative: boolean; isFirst: boolean };

/** Intervals after one, 1 or more, both ends within. Those of several columns ascend. */
export interface IntervalsAfter {
  from: number;
  to: number;
}
