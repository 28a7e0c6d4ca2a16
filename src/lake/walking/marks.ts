import type { Journey } from "../journeys/mod.ts";
import { keyOf, kindsOf } from "./eventKinds.ts";
import type { Gathered } from "./gathered.ts";
import type { Mark, Places } from "./places.ts";

/** The rows of a person in a journey; `person` is counted from the beginning of the range. */
export interface PersonRows {
  from: number;
  to: number;
  person: number;
}

/** What tells rows apart. Times are in epoch ms, both ends included. */
interface Told {
  fromMs: number | null;
  toMs: number | null;
  /** What events are by their kinds alone, by `keyOf`; others are not read. Null where their places tell all of it. */
  names: ReadonlyMap<string, Mark> | null;
  /** Null where their names and times tell all of it. */
  places: Places | null;
}

/** Which rows of a journey a walk reads, and what they are to it. */
export class Marks {
  private readonly isNameRead: Uint8Array;
  private readonly steps: Int32Array;
  private readonly excluded: Int32Array;
  private readonly values: Uint32Array;
  private readonly low: number;
  private readonly high: number;
  private readonly places: Places | null;
  readonly add: (rows: PersonRows, into: Gathered) => void;

  constructor(
    private readonly journey: Journey,
    { fromMs, toMs, names, places }: Told,
  ) {
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

  // Three loops, since each row costs some nanoseconds.

  private readonly addByName = ({ from, to, person }: PersonRows, into: Gathered): void => {
    const { isNameRead, steps, excluded, values, low, high } = this;
    const { events, offsetsMs, baseMs } = this.journey;
    const { person: persons, us, steps: stepsInto, excluded: excludedInto, value: valueInto } = into;
    const { hasExcluded, hasValue } = into.fields;
    let count = into.count;
    for (let at = from; at < to; at++) {
      const offset = offsetsMs[at]!;
      if (offset < low || offset > high) continue;
      const name = events[at]!;
      persons[count] = person;
      us[count] = (baseMs + offset) * 1000;
      stepsInto[count] = steps[name]!;
      if (hasExcluded) excludedInto[count] = excluded[name]!;
      if (hasValue) valueInto[count] = values[name]!;
      // The next row takes the place of one that is not read: which names come is hard to foresee for a branch.
      count += isNameRead[name]!;
    }
    into.count = count;
  };

  private readonly addByBoth = ({ from, to, person }: PersonRows, into: Gathered): void => {
    const { isNameRead, steps, excluded, low, high } = this;
    const { events, offsetsMs, baseMs, rows } = this.journey;
    const { marks, values } = this.places!;
    const { hasExcluded, hasValue } = into.fields;
    let count = into.count;
    for (let at = from; at < to; at++) {
      const name = events[at]!;
      if (isNameRead[name] === 0) continue;
      const offset = offsetsMs[at]!;
      if (offset < low || offset > high) continue;
      const row = rows[at]!;
      if (marks[row] === 0) continue;
      into.person[count] = person;
      into.us[count] = (baseMs + offset) * 1000;
      into.steps[count] = steps[name]!;
      if (hasExcluded) into.excluded[count] = excluded[name]!;
      if (hasValue) into.value[count] = values === null ? this.values[name]! : values[row]!;
      count++;
    }
    into.count = count;
  };

  private readonly addByPlace = ({ from, to, person }: PersonRows, into: Gathered): void => {
    const { low, high } = this;
    const { offsetsMs, baseMs, rows } = this.journey;
    const { marks, isRead, excluded, values } = this.places!;
    let count = into.count;
    for (let at = from; at < to; at++) {
      const row = rows[at]!;
      const mark = marks[row]!;
      const offset = offsetsMs[at]!;
      if (mark === 0 || offset < low || offset > high) continue;
      into.person[count] = person;
      into.us[count] = (baseMs + offset) * 1000;
      into.steps[count] = mark ^ isRead;
      if (excluded !== null) into.excluded[count] = excluded[row]!;
      if (values !== null) into.value[count] = values[row]!;
      count++;
    }
    into.count = count;
  };
}
