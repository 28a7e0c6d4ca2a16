import type { RowFields } from "../../walk/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import type { Gathered } from "./gathered.ts";

/** The rows of a person in a journey; `person` is counted from the beginning of the range. */
export interface PersonRows {
  from: number;
  to: number;
  person: number;
}

/** Which rows of a journey a walk reads, and what they are to it. */
export interface Marks {
  add(journey: Journey, rows: PersonRows, into: Gathered): void;
}

/** What a row is to a walk. Rows without a mark are not read. */
export interface Mark {
  steps: number;
  excluded: number;
  /** A code. */
  value: number;
}

/** Rows are told by the name of the event and the time. */
export class NameMarks implements Marks {
  private readonly isRead: Uint8Array;
  private readonly steps: Int32Array;
  private readonly excluded: Int32Array;
  /** Null where rows have none. */
  private readonly values: Uint32Array | null;
  private readonly low: number;
  private readonly high: number;

  /** Times are in epoch ms, both ends included. */
  constructor(
    { names, baseMs }: Journey,
    marks: ReadonlyMap<string, Mark>,
    { fromMs, toMs, hasValue }: { fromMs: number | null; toMs: number | null; hasValue: boolean },
  ) {
    const own = names.map((name) => marks.get(name));
    this.isRead = Uint8Array.from(own, (mark) => (mark === undefined ? 0 : 1));
    this.steps = Int32Array.from(own, (mark) => mark?.steps ?? 0);
    this.excluded = Int32Array.from(own, (mark) => mark?.excluded ?? 0);
    this.values = hasValue ? Uint32Array.from(own, (mark) => mark?.value ?? 0) : null;
    this.low = (fromMs ?? Number.NEGATIVE_INFINITY) - baseMs;
    this.high = (toMs ?? Number.POSITIVE_INFINITY) - baseMs;
  }

  add({ events, offsetsMs, baseMs }: Journey, { from, to, person }: PersonRows, into: Gathered): void {
    const { isRead, steps, excluded, values, low, high } = this;
    const hasExcluded = into.excluded.length > 0;
    let count = into.count;
    for (let row = from; row < to; row++) {
      const name = events[row]!;
      if (isRead[name] === 0) continue;
      const offset = offsetsMs[row]!;
      if (offset < low || offset > high) continue;
      into.person[count] = person;
      into.us[count] = (baseMs + offset) * 1000;
      into.steps[count] = steps[name]!;
      if (hasExcluded) into.excluded[count] = excluded[name]!;
      if (values !== null) into.value[count] = values[name]!;
      count++;
    }
    into.count = count;
  }
}

/** Rows are told by their places in the segment, one by one. */
export class PlaceMarks implements Marks {
  /** With the bit behind the last step, which says that the row is read. */
  private readonly marks: Uint8Array | Uint16Array | Int32Array;
  private readonly excluded: Int32Array | null;
  private readonly values: Uint32Array | null;
  private readonly isRead: number;

  constructor(rowCount: number, { bits, hasExcluded, hasValue }: RowFields) {
    this.isRead = 1 << bits;
    this.marks = bits < 8 ? new Uint8Array(rowCount) : bits < 16 ? new Uint16Array(rowCount) : new Int32Array(rowCount);
    this.excluded = hasExcluded ? new Int32Array(rowCount) : null;
    this.values = hasValue ? new Uint32Array(rowCount) : null;
  }

  /** Says what the rows at these places are. */
  set(rows: Uint32Array, { steps, excluded, value }: Mark): void {
    const mark = steps | this.isRead;
    for (let i = 0; i < rows.length; i++) this.marks[rows[i]!] = mark;
    if (this.excluded !== null) for (let i = 0; i < rows.length; i++) this.excluded[rows[i]!] = excluded;
    if (this.values !== null) for (let i = 0; i < rows.length; i++) this.values[rows[i]!] = value;
  }

  add({ rows, offsetsMs, baseMs }: Journey, { from, to, person }: PersonRows, into: Gathered): void {
    const { marks, excluded, values, isRead } = this;
    let count = into.count;
    for (let at = from; at < to; at++) {
      const row = rows[at]!;
      const mark = marks[row]!;
      if (mark === 0) continue;
      into.person[count] = person;
      into.us[count] = (baseMs + offsetsMs[at]!) * 1000;
      into.steps[count] = mark ^ isRead;
      if (excluded !== null) into.excluded[count] = excluded[row]!;
      if (values !== null) into.value[count] = values[row]!;
      count++;
    }
    into.count = count;
  }
}
