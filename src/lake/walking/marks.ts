import type { RowFields } from "../../walk/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { keyOf, kindsOf } from "./eventKinds.ts";
import type { Directory } from "./journeySource.ts";
import type { Mark, Places } from "./places.ts";
import type { PersonRows } from "./rowColumns.ts";

/** Persons by their places in a directory. */
interface Persons {
  from: number;
  /** Below it. */
  to: number;
}

/** What tells rows apart. Times are in epoch ms, both ends included. */
interface Told {
  fields: RowFields;
  fromMs: number | null;
  toMs: number | null;
  /** What events are by their kinds alone, by `keyOf`; others are not read. Null where their places tell all of it. */
  names: ReadonlyMap<string, Mark> | null;
  /** Null where their names and times tell all of it. */
  places: Places | null;
}

/** Which rows of a journey a walk reads, and what they are to it. */
export class Marks {
  readonly fields: RowFields;
  private readonly isNameRead: Uint8Array;
  private readonly steps: Int32Array;
  private readonly excluded: Int32Array;
  private readonly values: Uint32Array;
  private readonly low: number;
  private readonly high: number;
  private readonly places: Places | null;
  /** Adds the rows of these persons, for which there is room. */
  readonly add: (directory: Directory, persons: Persons, into: PersonRows) => void;

  constructor(
    private readonly journey: Journey,
    { fields, fromMs, toMs, names, places }: Told,
  ) {
    this.fields = fields;
    const own = kindsOf(journey).map((kind) => names?.get(keyOf(kind)));
    this.isNameRead = Uint8Array.from(own, (mark) => (mark === undefined ? 0 : 1));
    this.steps = Int32Array.from(own, (mark) => mark?.steps ?? 0);
    this.excluded = Int32Array.from(own, (mark) => mark?.excluded ?? 0);
    this.values = Uint32Array.from(own, (mark) => mark?.value ?? 0);
    this.low = (fromMs ?? Number.NEGATIVE_INFINITY) - journey.baseMs;
    this.high = (toMs ?? Number.POSITIVE_INFINITY) - journey.baseMs;
    this.places = places;
    this.add = names === null ? this.addByPlace : places === null ? this.addByName : this.addByBoth;
  }

  // Three loops, since each row costs some nanoseconds. The next row takes the place of one that is not read: which are is hard to
  // foresee for a branch.

  private readonly addByName: Marks["add"] = ({ codes, begins, ends }, { from, to }, into) => {
    const { isNameRead, steps, excluded, values, low, high } = this;
    const { events, offsetsMs, baseMs } = this.journey;
    const { us, steps: stepsInto, excluded: excludedInto, value: valueInto, codes: runCodes, ends: runEnds } = into;
    const { hasExcluded, hasValue } = into.fields;
    let { count, runs } = into;
    for (let person = from; person < to; person++) {
      const before = count;
      const end = ends[person]!;
      for (let at = begins[person]!; at < end; at++) {
        const offset = offsetsMs[at]!;
        if (offset < low || offset > high) continue;
        const name = events[at]!;
        us[count] = (baseMs + offset) * 1000;
        stepsInto[count] = steps[name]!;
        if (hasExcluded) excludedInto[count] = excluded[name]!;
        if (hasValue) valueInto[count] = values[name]!;
        count += isNameRead[name]!;
      }
      runCodes[runs] = codes[person]!;
      runEnds[runs] = count;
      runs += count > before ? 1 : 0;
    }
    into.count = count;
    into.runs = runs;
  };

  private readonly addByBoth: Marks["add"] = ({ codes, begins, ends }, { from, to }, into) => {
    const { isNameRead, steps, excluded, values, low, high } = this;
    const { events, offsetsMs, baseMs, rows } = this.journey;
    const { us, steps: stepsInto, excluded: excludedInto, value: valueInto, codes: runCodes, ends: runEnds } = into;
    const { marks, hasValue: isValueOfPlace } = this.places!;
    const { words, wordShift, inWord, bitShift, all } = marks;
    const { hasExcluded, hasValue } = into.fields;
    let { count, runs } = into;
    for (let person = from; person < to; person++) {
      const before = count;
      const end = ends[person]!;
      for (let at = begins[person]!; at < end; at++) {
        const offset = offsetsMs[at]!;
        if (offset < low || offset > high) continue;
        const name = events[at]!;
        const row = rows[at]!;
        const mark = (words[row >>> wordShift]! >>> ((row & inWord) << bitShift)) & all;
        us[count] = (baseMs + offset) * 1000;
        stepsInto[count] = steps[name]!;
        if (hasExcluded) excludedInto[count] = excluded[name]!;
        if (hasValue) valueInto[count] = isValueOfPlace ? mark - 1 : values[name]!;
        count += mark === 0 ? 0 : isNameRead[name]!;
      }
      runCodes[runs] = codes[person]!;
      runEnds[runs] = count;
      runs += count > before ? 1 : 0;
    }
    into.count = count;
    into.runs = runs;
  };

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
