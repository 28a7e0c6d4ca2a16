import type { RowFields } from "../../walk/mod.ts";
import { sharedInt32, sharedUint32 } from "./shared.ts";

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

/** What is said of the rows of a file, as any thread reads it. */
export type PlaceMarks = Pick<Places, "isRead" | "hasValue" | "excluded" | "values"> & {
  marks: Omit<PackedNumbers, "set">;
  /** With it `marks` has codes, and these are the marks by code. Only where names tell steps. */
  byCode: Uint32Array | null;
};

/** What DuckDB has said of the rows of a file, by their places in it. All threads see it. */
export class Places {
  /**
   * 0 for a row that is not read. Else its steps, with `isRead`, the bit behind the last one; without steps one more than its value, so that
   * one look into memory tells all.
   */
  readonly marks: PackedNumbers;
  readonly isRead: number;
  readonly hasValue: boolean;
  readonly byCode = null;
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
    this.marks = new PackedNumbers(rowCount, steps === 0 ? maxValue + 1 : 2 ** (steps + 1) - 1);
    this.excluded = hasExcluded ? sharedInt32(rowCount) : null;
    this.values = hasValue && steps > 0 ? sharedUint32(rowCount) : null;
  }

  /** Says what the rows are whose places `rows` has from `from` to below `end`; of each row once. */
  set(rows: Uint32Array, from: number, end: number, { steps, excluded, value }: Mark): void {
    const { marks, excluded: exclusions, values } = this;
    marks.set(rows, from, end, this.o.steps === 0 ? value + 1 : steps | this.isRead);
    if (exclusions !== null) for (let i = from; i < end; i++) exclusions[rows[i]!] = excluded;
    if (values !== null) for (let i = from; i < end; i++) values[rows[i]!] = value;
  }
}

/**
 * Numbers of as few bits as the greatest of them needs (1, 2, 4, 8, 16 or 32): they are looked up in no order, and the processor keeps few
 * of many bytes at hand. The number at a place is `(words[place >>> wordShift] >>> ((place & inWord) << bitShift)) & all`.
 */
export class PackedNumbers {
  readonly words: Uint32Array;
  readonly wordShift: number;
  readonly inWord: number;
  readonly bitShift: number;
  /** All bits of a number; those of 32 are -1. */
  readonly all: number;

  constructor(count: number, max: number) {
    this.bitShift = [1, 2, 4, 8, 16, 32].findIndex((bits) => max < 2 ** bits);
    this.wordShift = 5 - this.bitShift;
    this.inWord = (1 << this.wordShift) - 1;
    this.all = this.bitShift === 5 ? -1 : (1 << (1 << this.bitShift)) - 1;
    this.words = sharedUint32(Math.ceil(count / 2 ** this.wordShift));
  }

  /** At places that had none: `places` from `from` to below `end`. */
  set(places: Uint32Array, from: number, end: number, number: number): void {
    const { words, wordShift, inWord, bitShift } = this;
    for (let i = from; i < end; i++) {
      const place = places[i]!;
      words[place >>> wordShift]! |= number << ((place & inWord) << bitShift);
    }
  }
}
