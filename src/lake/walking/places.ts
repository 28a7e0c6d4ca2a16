import type { RowFields } from "../../walk/mod.ts";

/** What DuckDB has said of the rows of a file, by their places in it. */
export class Places {
  /** Steps, with the bit behind the last one, which says that the row is read. */
  readonly marks: Uint8Array | Uint16Array | Int32Array;
  readonly isRead: number;
  readonly excluded: Int32Array | null;
  readonly values: Uint32Array | null;

  /** `steps`: 0 where the name of a row's event tells its steps and exclusions. */
  constructor(rowCount: number, steps: number, { hasExcluded, hasValue }: RowFields) {
    this.isRead = 1 << steps;
    this.marks =
      steps < 8 ? new Uint8Array(rowCount) : steps < 16 ? new Uint16Array(rowCount) : new Int32Array(rowCount);
    this.excluded = steps > 0 && hasExcluded ? new Int32Array(rowCount) : null;
    this.values = hasValue ? new Uint32Array(rowCount) : null;
  }
}
