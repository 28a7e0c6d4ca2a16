import type { RowFields, Slice } from "../../walk/mod.ts";
import { lowerBound } from "./directory.ts";
import type { RangeSource } from "./rangeSource.ts";
import type { Range } from "./ranges.ts";
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

  async gather({ end }: Range): Promise<void> {
    this.rows.clear();
    while (await this.hasMore()) {
      const slice = this.slice!;
      const to = lowerBound(slice.actor, end, this.next, slice.rowCount);
      this.rows.addSlice(slice, this.next, to);
      this.next = to;
      if (to < slice.rowCount) break;
    }
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
