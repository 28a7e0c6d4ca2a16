import type { Slice } from "../../walk/mod.ts";
import { type Gathered, OTHERS } from "./gathered.ts";

/** Gives rows that come in order of actor by ranges of actors. */
export class SliceReader {
  static readonly NONE = new SliceReader(nothing());

  private readonly slices: AsyncIterator<Slice>;
  private slice: Slice | null = null;
  private next = 0;
  private isOver = false;

  constructor(slices: AsyncIterable<Slice>) {
    this.slices = slices[Symbol.asyncIterator]();
  }

  /** Adds the rows of actors from `first` to below `end`; ranges are asked for in ascending order. */
  async gather(first: number, end: number, into: Gathered): Promise<void> {
    const before = into.count;
    while (await this.hasMore()) {
      const isWhole = this.addBelow(first, end, into);
      if (!isWhole) break;
    }
    if (before > 0 && into.count > before) into.isMixed = true;
  }

  /** Whether all rows of the slice are below the end. */
  private addBelow(first: number, end: number, into: Gathered): boolean {
    const { rowCount, actor, us, steps, excluded, value } = this.slice!;
    into.reserve(rowCount - this.next);
    const before = into.count;
    let count = before;
    for (; this.next < rowCount && actor[this.next]! < end; this.next++) {
      into.person[count] = actor[this.next]! - first;
      into.us[count] = us[this.next]!;
      into.steps[count] = steps[this.next]!;
      if (excluded !== null) into.excluded[count] = excluded[this.next]!;
      if (value !== null) into.value[count] = value[this.next]!;
      count++;
    }
    into.count = count;
    into.noteRun(before, OTHERS);
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

async function* nothing(): AsyncIterable<Slice> {}
