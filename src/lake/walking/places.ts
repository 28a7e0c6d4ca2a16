import type { RowFields } from "../../walk/mod.ts";

/** What a row is to a walk; `value` is a code. */
export interface Mark {
  steps: number;
  excluded: number;
  value: number;
}

/** What is known of rows before they are read. */
interface Marked extends Pick<RowFields, "hasExcluded" | "hasValue"> {
  /** How many steps; 0 where the name of a row's event tells its steps and exclusions. */
  steps: number;
  /** Codes of values are not above it. */
  maxValue: number;
}

/** What DuckDB has said of the rows of a file, by their places in it. */
export class Places {
  /**
   * 0 for a row that is not read. Else its steps, with `isRead`, the bit behind the last one; without steps one more than its value, so that
   * one look into memory tells all.
   */
  readonly marks: Uint8Array | Uint16Array | Int32Array | Uint32Array;
  readonly isRead: number;
  readonly hasValue: boolean;
  readonly excluded: Int32Array | null;
  /** Null where `marks` tells values. */
  readonly values: Uint32Array | null;

  constructor(
    rowCount: number,
    private readonly o: Marked,
  ) {
    const { steps, maxValue, hasExcluded, hasValue } = o;
    this.isRead = 1 << steps;
    this.hasValue = hasValue;
    this.marks = steps === 0 ? marksUpTo(maxValue + 1, rowCount) : marksUpTo(2 ** (steps + 1) - 1, rowCount);
    this.excluded = hasExcluded ? new Int32Array(rowCount) : null;
    this.values = hasValue && steps > 0 ? new Uint32Array(rowCount) : null;
  }

  /** Says what the rows are whose places `rows` has from `from` to below `end`. */
  set(rows: Uint32Array, from: number, end: number, { steps, excluded, value }: Mark): void {
    const { marks, excluded: exclusions, values } = this;
    const mark = this.o.steps === 0 ? value + 1 : steps | this.isRead;
    for (let i = from; i < end; i++) marks[rows[i]!] = mark;
    if (exclusions !== null) for (let i = from; i < end; i++) exclusions[rows[i]!] = excluded;
    if (values !== null) for (let i = from; i < end; i++) values[rows[i]!] = value;
  }
}

/** The narrower they are, the more of them the processor keeps at hand. */
function marksUpTo(max: number, rowCount: number) {
  if (max < 2 ** 8) return new Uint8Array(rowCount);
  return max < 2 ** 16 ? new Uint16Array(rowCount) : new Uint32Array(rowCount);
}
