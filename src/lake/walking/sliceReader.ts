import type { RowFields, Slice } from "../../walk/mod.ts";
import type { RangeSource } from "./rangeSource.ts";
import { PersonRows } from "./rowColumns.ts";

/** Gives rows that come in order of actor by ranges of actors. */
export class SliceReader implements RangeSource {
  readonly rows: PersonRows;
  readonly hasSeveralRuns = false;
  private readonly slices: AsyncIterator<Slice>;
  private slice: Slice | null = null;
  private next = 0;
  private isOver = false;

  constructor(fields: RowFields, slices: AsyncIterable<Slice>) {
    this.rows = new PersonRows(fields);
    this.slices = slices[Symbol.asyncIterator]();
  }

  async gather(end: number): Promise<void> {
    this.rows.clear();
    while (await this.hasMore()) {
      const isWhole = this.addBelow(end);
      if (!isWhole) break;
    }
  }

  /** Whether all rows of the slice are below the end. */
  private addBelow(end: number): boolean {
    const { rowCount, actor, us, steps, excluded, value } = this.slice!;
    const { rows } = this;
    rows.reserve(rowCount - this.next);
    rows.reserveRuns(rowCount - this.next);
    for (; this.next < rowCount && actor[this.next]! < end; this.next++) {
      const { count, runs } = rows;
      rows.us[count] = us[this.next]!;
      rows.steps[count] = steps[this.next]!;
      if (excluded !== null) rows.excluded[count] = excluded[this.next]!;
      if (value !== null) rows.value[count] = value[this.next]!;
      rows.count++;
      const isSame = runs > 0 && rows.codes[runs - 1] === actor[this.next];
      if (!isSame) rows.codes[rows.runs++] = actor[this.next]!;
      rows.ends[rows.runs - 1] = rows.count;
    }
    return this.next === rowCount;
  }

  private async hasMore(): Promise<boolean> {
    while (!this.isOver && (this.slice === null || this.next === this.slice.rowCount)) {
      const { value, done } = await this.slices.next();
      this.isOver = done === true;
      this.slice = done === true ? null : value;
      this.next = 0;
    }
    return !this.isOver;
  }
}
