import type { Journey } from "../journeys/mod.ts";
import type { Marks } from "./marks.ts";
import type { RangeSource } from "./rangeSource.ts";
import { PersonRows } from "./rowColumns.ts";

/** Persons of a journey by code, ascending, and where their rows begin and end. */
export interface Directory {
  codes: Uint32Array;
  begins: Uint32Array;
  ends: Uint32Array;
}

/** Gives the rows of a journey that a walk reads, by ranges of persons. */
export class JourneySource implements RangeSource {
  readonly rows: PersonRows;
  readonly hasSeveralRuns: boolean;
  private readonly directory: Directory;
  private next = 0;

  /** `moved`: the codes of persons that have become others, by their numbers; null where none of the file has. */
  constructor(
    private readonly journey: Journey,
    private readonly marks: Marks,
    moved: ReadonlyMap<number, number> | null,
  ) {
    const { persons, starts } = journey;
    const plain = { codes: persons, begins: starts, ends: starts.subarray(1) };
    this.directory = moved === null ? plain : rewritten(plain, moved);
    this.hasSeveralRuns = this.directory !== plain;
    this.rows = new PersonRows(marks.fields);
  }

  get rowCount(): number {
    return this.journey.rowCount;
  }

  gather(end: number): void {
    const { directory, rows, next } = this;
    const { codes, begins, ends } = directory;
    let count = 0;
    for (; this.next < codes.length && codes[this.next]! < end; this.next++) {
      count += ends[this.next]! - begins[this.next]!;
    }
    rows.clear();
    rows.reserve(count);
    rows.reserveRuns(this.next - next);
    this.marks.add(directory, { from: next, to: this.next }, rows);
  }
}

/** The same persons by the codes that they have now, in order of these. */
function rewritten({ codes, begins, ends }: Directory, moved: ReadonlyMap<number, number>): Directory {
  const stay: number[] = [];
  const move: { code: number; at: number }[] = [];
  for (const [at, number] of codes.entries()) {
    const code = moved.get(number);
    if (code === undefined) stay.push(at);
    else move.push({ code, at });
  }
  if (move.length === 0) return { codes, begins, ends };
  move.sort((a, b) => a.code - b.code);
  const made: Directory = {
    codes: new Uint32Array(codes.length),
    begins: new Uint32Array(codes.length),
    ends: new Uint32Array(codes.length),
  };
  let [s, m] = [0, 0];
  for (let i = 0; i < codes.length; i++) {
    const isMove = s === stay.length || (m < move.length && move[m]!.code < codes[stay[s]!]!);
    const at = isMove ? move[m]!.at : stay[s]!;
    made.codes[i] = isMove ? move[m++]!.code : codes[stay[s++]!]!;
    made.begins[i] = begins[at]!;
    made.ends[i] = ends[at]!;
  }
  return made;
}
