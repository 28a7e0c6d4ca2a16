import type { Range } from "./ranges.ts";
import type { PersonRows } from "./rowColumns.ts";

/** Gives rows by ranges of codes of persons. */
export interface RangeSource {
  /** Those of the last range. */
  readonly rows: PersonRows;
  /** A person may have several runs of rows. */
  readonly hasSeveralRuns: boolean;
  /** Has `rows` be those of a range; ranges are asked for in ascending order, each at most once. */
  gather(range: Range): void | Promise<void>;
}
