import type { PersonRows } from "./rowColumns.ts";

/** Gives rows by ranges of codes of persons. */
export interface RangeSource {
  /** Those of the last range. */
  readonly rows: PersonRows;
  /** A person may have several runs of rows. */
  readonly hasSeveralRuns: boolean;
  /** Has `rows` be those of codes below `end` that were not given yet; ranges are asked for in ascending order. */
  gather(end: number): void | Promise<void>;
}
