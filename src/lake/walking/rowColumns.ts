import type { RowFields, Slice } from "../../walk/mod.ts";

const LEAST = 4096;

/** Columns of rows, without their actors. They grow, and are used again. */
export class RowColumns {
  count = 0;
  us = new Float64Array(0);
  steps = new Int32Array(0);
  excluded = new Int32Array(0);
  value = new Uint32Array(0);

  constructor(readonly fields: RowFields) {}

  /** Makes room for so many more rows, and for one that is written and not counted. */
  reserve(rows: number): void {
    const length = lengthFor(this.count + rows, this.us.length);
    if (length === this.us.length) return;
    this.us = grown(this.us, new Float64Array(length));
    this.steps = grown(this.steps, new Int32Array(length));
    if (this.fields.hasExcluded) this.excluded = grown(this.excluded, new Int32Array(length));
    if (this.fields.hasValue) this.value = grown(this.value, new Uint32Array(length));
  }
}

/** Rows of persons of a range, from one source: those of a person come one after the other, in order of time. */
export class PersonRows extends RowColumns {
  /** Rows of one person, who may have several runs, in order of code: the code, and where they end. */
  runs = 0;
  codes = new Uint32Array(0);
  ends = new Uint32Array(0);

  clear(): void {
    this.count = 0;
    this.runs = 0;
  }

  /** Adds the rows of a slice from a place on. */
  addSlice({ actor, us, steps, excluded, value }: Slice, from: number, end: number): void {
    this.reserve(end - from);
    this.reserveRuns(end - from);
    for (let row = from; row < end; row++) {
      const { count, runs } = this;
      this.us[count] = us[row]!;
      this.steps[count] = steps[row]!;
      if (excluded !== null) this.excluded[count] = excluded[row]!;
      if (value !== null) this.value[count] = value[row]!;
      this.count++;
      const isSame = runs > 0 && this.codes[runs - 1] === actor[row];
      if (!isSame) this.codes[this.runs++] = actor[row]!;
      this.ends[this.runs - 1] = this.count;
    }
  }

  /** Makes room for so many more runs, and for one that is written and not counted. */
  reserveRuns(runs: number): void {
    const length = lengthFor(this.runs + runs, this.codes.length);
    if (length === this.codes.length) return;
    this.codes = grown(this.codes, new Uint32Array(length));
    this.ends = grown(this.ends, new Uint32Array(length));
  }
}

/** The length of an array that has more than `needed` places. */
export const lengthFor = (needed: number, length: number): number =>
  needed < length ? length : Math.max(needed + 1, length * 2, LEAST);

function grown<T extends Uint32Array | Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
