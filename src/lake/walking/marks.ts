import type { RowFields } from "../../walk/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import type { Directory } from "./directory.ts";
import type { KindMarks } from "./kindMarks.ts";
import type { JourneyColumns } from "./mappedJourney.ts";
import type { PlaceMarks } from "./places.ts";
import { lengthFor, type PersonRows } from "./rowColumns.ts";

/** Persons by their places in a directory. */
interface Persons {
  from: number;
  /** Below it. */
  to: number;
}

/** What tells rows apart. Times are in epoch ms, both ends included. */
export interface Told {
  fields: RowFields;
  fromMs: number | null;
  toMs: number | null;
  /** Null where their places tell all of it. */
  kinds: KindMarks | null;
  /** Null where their kinds and times tell all of it. */
  places: PlaceMarks | null;
}

const NO_KINDS: KindMarks = {
  isRead: new Uint8Array(),
  steps: new Int32Array(),
  excluded: new Int32Array(),
  values: new Uint32Array(),
};

/** Which rows of a journey a walk reads, and what they are to it. */
export class Marks {
  private readonly kinds: KindMarks;
  private readonly low: number;
  private readonly high: number;
  private readonly places: PlaceMarks | null;
  /** Rows with names that are read, of some persons. */
  private named = new Int32Array(0);
  private namedCount = 0;
  /** Adds the rows of these persons, for which there is room. */
  readonly add: (directory: Directory, persons: Persons, into: PersonRows) => void;

  constructor(
    private readonly journey: JourneyColumns,
    { fromMs, toMs, kinds, places }: Told,
  ) {
    this.kinds = kinds ?? NO_KINDS;
    this.low = (fromMs ?? Number.NEGATIVE_INFINITY) - journey.baseMs;
    this.high = (toMs ?? Number.POSITIVE_INFINITY) - journey.baseMs;
    this.places = places;
    this.add = kinds === null ? this.addByPlace : this.addByName;
  }

  // Several loops, since each row costs some nanoseconds. The next row takes the place of one that is not read: which are is hard to
  // foresee for a branch. Names come first: they are one byte a row, and times and places of events that no name asks for are not looked at.

  private readonly addByName: Marks["add"] = (directory, { from, to }, into) => {
    for (let first = from; first < to; ) {
      const end = this.findNamed(directory, first, to);
      if (this.places === null) this.addNamed(directory, { from: first, to: end }, into);
      else this.addNamedByPlace(directory, { from: first, to: end }, this.places, into);
      first = end;
    }
  };

  /** Finds the rows with names that are read, of persons whose rows follow each other. Answers where these persons end. */
  private findNamed({ begins, ends }: Directory, from: number, to: number): number {
    let person = from + 1;
    while (person < to && begins[person] === ends[person - 1]) person++;
    const first = begins[from]!;
    const end = ends[person - 1]!;
    if (this.named.length <= end - first) this.named = new Int32Array(lengthFor(end - first, this.named.length));
    const { events, offsetsMs } = this.journey;
    const { isRead } = this.kinds;
    // Where the file begins before the time that is asked for, many rows go by their times.
    this.namedCount =
      this.low > 0
        ? findReadSince(this.low, offsetsMs, events, isRead, first, end, this.named)
        : findRead(events, isRead, first, end, this.named);
    return person;
  }

  private addNamed({ codes, ends }: Directory, { from, to }: Persons, into: PersonRows): void {
    const { low, high, named, namedCount } = this;
    const { steps, excluded, values } = this.kinds;
    const { events, offsetsMs, baseMs } = this.journey;
    const { us, steps: stepsInto, excluded: excludedInto, value: valueInto, codes: runCodes, ends: runEnds } = into;
    const { hasExcluded, hasValue } = into.fields;
    let { count, runs } = into;
    for (let person = from, i = 0; person < to; person++) {
      const before = count;
      const end = ends[person]!;
      for (; i < namedCount && named[i]! < end; i++) {
        const at = named[i]!;
        const offset = offsetsMs[at]!;
        if (offset < low || offset > high) continue;
        const name = events[at]!;
        us[count] = (baseMs + offset) * 1000;
        stepsInto[count] = steps[name]!;
        if (hasExcluded) excludedInto[count] = excluded[name]!;
        if (hasValue) valueInto[count] = values[name]!;
        count++;
      }
      runCodes[runs] = codes[person]!;
      runEnds[runs] = count;
      runs += count > before ? 1 : 0;
    }
    into.count = count;
    into.runs = runs;
  }

  private addNamedByPlace(
    { codes, ends }: Directory,
    { from, to }: Persons,
    { marks, byCode, hasValue: isValueOfPlace }: PlaceMarks,
    into: PersonRows,
  ): void {
    const { low, high, named, namedCount } = this;
    const { steps, excluded, values } = this.kinds;
    const { events, offsetsMs, baseMs, rows } = this.journey;
    const { us, steps: stepsInto, excluded: excludedInto, value: valueInto, codes: runCodes, ends: runEnds } = into;
    const { words, wordShift, inWord, bitShift, all } = marks;
    const { hasExcluded, hasValue } = into.fields;
    let { count, runs } = into;
    for (let person = from, i = 0; person < to; person++) {
      const before = count;
      const end = ends[person]!;
      for (; i < namedCount && named[i]! < end; i++) {
        const at = named[i]!;
        const offset = offsetsMs[at]!;
        if (offset < low || offset > high) continue;
        const name = events[at]!;
        const row = rows[at]!;
        const found = (words[row >>> wordShift]! >>> ((row & inWord) << bitShift)) & all;
        const mark = byCode === null ? found : byCode[found]!;
        us[count] = (baseMs + offset) * 1000;
        stepsInto[count] = steps[name]!;
        if (hasExcluded) excludedInto[count] = excluded[name]!;
        if (hasValue) valueInto[count] = isValueOfPlace ? mark - 1 : values[name]!;
        count += mark === 0 ? 0 : 1;
      }
      runCodes[runs] = codes[person]!;
      runEnds[runs] = count;
      runs += count > before ? 1 : 0;
    }
    into.count = count;
    into.runs = runs;
  }

  private readonly addByPlace: Marks["add"] = ({ codes, begins, ends }, { from, to }, into) => {
    const { low, high } = this;
    const { offsetsMs, baseMs, rows } = this.journey;
    const { us, steps: stepsInto, excluded: excludedInto, value: valueInto, codes: runCodes, ends: runEnds } = into;
    const { marks, isRead, excluded, values } = this.places!;
    const { words, wordShift, inWord, bitShift, all } = marks;
    let { count, runs } = into;
    for (let person = from; person < to; person++) {
      const before = count;
      const end = ends[person]!;
      for (let at = begins[person]!; at < end; at++) {
        const offset = offsetsMs[at]!;
        if (offset < low || offset > high) continue;
        const row = rows[at]!;
        const mark = (words[row >>> wordShift]! >>> ((row & inWord) << bitShift)) & all;
        us[count] = (baseMs + offset) * 1000;
        stepsInto[count] = mark ^ isRead;
        if (excluded !== null) excludedInto[count] = excluded[row]!;
        if (values !== null) valueInto[count] = values[row]!;
        count += mark === 0 ? 0 : 1;
      }
      runCodes[runs] = codes[person]!;
      runEnds[runs] = count;
      runs += count > before ? 1 : 0;
    }
    into.count = count;
    into.runs = runs;
  };
}

/** Writes the places of events with names that are read, and answers how many there are. */
function findRead(events: Journey["events"], isRead: Uint8Array, from: number, end: number, into: Int32Array): number {
  let count = 0;
  for (let at = from; at < end; at++) {
    into[count] = at;
    count += isRead[events[at]!]!;
  }
  return count;
}

/** The same of events that are not before a time. */
function findReadSince(
  low: number,
  offsetsMs: Journey["offsetsMs"],
  events: Journey["events"],
  isRead: Uint8Array,
  from: number,
  end: number,
  into: Int32Array,
): number {
  let count = 0;
  for (let at = from; at < end; at++) {
    if (offsetsMs[at]! < low) continue;
    into[count] = at;
    count += isRead[events[at]!]!;
  }
  return count;
}
