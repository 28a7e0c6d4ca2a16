import type { RowFields, Slice } from "../../walk/mod.ts";
import { lowerBound } from "./directory.ts";
import type { RangeSource } from "./rangeSource.ts";
import type { Range } from "./ranges.ts";
import { PersonRows } from "./rowColumns.ts";
import { sharedDoubles, sharedInt32, sharedUint32 } from "./shared.ts";

/** Gives rows that are in memory in order of actor, by ranges of actors. */
export class OrderedRows implements RangeSource {
  readonly rows: PersonRows;
  readonly hasSeveralRuns = false;

  constructor(
    fields: RowFields,
    private readonly all: Slice,
  ) {
    this.rows = new PersonRows(fields);
  }

  gather({ first, end }: Range): void {
    const { actor } = this.all;
    const from = lowerBound(actor, first);
    this.rows.clear();
    this.rows.addSlice(this.all, from, lowerBound(actor, end, from));
  }
}

/** All rows of slices, of which there are `rowCount`, as one that all threads see. */
export async function sharedSlice(
  slices: AsyncIterable<Slice>,
  rowCount: number,
  { hasExcluded, hasValue }: RowFields,
): Promise<Slice> {
  const all: Slice = {
    rowCount,
    actor: sharedUint32(rowCount),
    us: sharedDoubles(rowCount),
    steps: sharedInt32(rowCount),
    excluded: hasExcluded ? sharedInt32(rowCount) : null,
    value: hasValue ? sharedUint32(rowCount) : null,
  };
  let at = 0;
  for await (const { rowCount: rows, actor, us, steps, excluded, value } of slices) {
    all.actor.set(actor, at);
    all.us.set(us, at);
    all.steps.set(steps, at);
    if (excluded !== null) all.excluded?.set(excluded, at);
    if (value !== null) all.value?.set(value, at);
    at += rows;
  }
  return all;
}
