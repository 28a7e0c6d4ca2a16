import { type Directory, lowerBound, plainDirectory } from "./directory.ts";
import type { JourneyColumns } from "./mappedJourney.ts";
import { Marks, type Told } from "./marks.ts";
import type { RangeSource } from "./rangeSource.ts";
import type { Range } from "./ranges.ts";
import { PersonRows } from "./rowColumns.ts";

/** Gives the rows of a journey that a walk reads, by ranges of persons. */
export class JourneySource implements RangeSource {
  readonly rows: PersonRows;
  readonly hasSeveralRuns: boolean;
  private readonly marks: Marks;
  private readonly directory: Directory;

  /** `directory`: the persons where some have other codes than those of the file; else null. */
  constructor(journey: JourneyColumns, told: Told, directory: Directory | null) {
    this.marks = new Marks(journey, told);
    this.directory = directory ?? plainDirectory(journey);
    this.hasSeveralRuns = directory !== null;
    this.rows = new PersonRows(told.fields);
  }

  gather({ first, end }: Range): void {
    const { directory, rows } = this;
    const { codes, begins, ends } = directory;
    const from = lowerBound(codes, first);
    const to = lowerBound(codes, end, from);
    let count = 0;
    for (let person = from; person < to; person++) count += ends[person]! - begins[person]!;
    rows.clear();
    rows.reserve(count);
    rows.reserveRuns(to - from);
    this.marks.add(directory, { from, to }, rows);
  }
}
