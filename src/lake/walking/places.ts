import type { RowFields } from "../../walk/mod.ts";

/** What a row is to a walk; `value` is a code. */
export interface Mark {
  steps: number;
  excluded: number;
  value: number;
}

/** What DuckDB has said of the rows of a file, by their places in it. */
export class Places {
  /** Steps, with the bit behind the last one, which says that the row is read. */
  readonly marks: Uint8Array | Uint16Array | Int32Array;
  readonly isRead: number;
  readonly excluded: Int32Array | null;
  readonly values: Uint32Array | null;

  /** `steps`: 0 where the name of a row's event tells its steps and exclusions. */
  constructor(rowCount: number, steps: number, { hasExcluded, hasValue }: Pick<RowFields, "hasExcluded" | "hasValue">) {
    this.isRead = 1 << steps;
    this.marks =
      steps < 8 ? new Uint8Array(rowCount) : steps < 16 ? new Uint16Array(rowCount) : new Int32Array(rowCount);
    this.excluded = hasExcluded ? new Int32Array(rowCount) : null;
    this.values = hasValue ? new Uint32Array(rowCount) : null;
  }

  /** Says what the rows are whose places `rows` has from `from` to below `end`. */
  set(rows: Uint32Array, from: number, end: number, { steps, excluded, value }: Mark): void {
    const { marks, excluded: exclusions, values } = this;
    const mark = steps | this.isRead;
    for (let i = from; i < end; i++) marks[rows[i]!] = mark;
    if (exclusions !== null) for (let i = from; i < end; i++) exclusions[rows[i]!] = excluded;
    if (values !== null) for (let i = from; i < end; i++) values[rows[i]!] = value;
  }
}
