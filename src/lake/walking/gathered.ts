import type { RowFields, Slice } from "../../walk/mod.ts";

/**
 * Rows of the persons of one range, put together from several sources, each of which gives those of a person one after the
 * other; `persons` are counted from the beginning of the range. The arrays grow, and are used again for the next range.
 */
export class Gathered {
  count = 0;
  person = new Uint32Array(0);
  us = new Float64Array(0);
  steps = new Int32Array(0);
  excluded = new Int32Array(0);
  value = new Uint32Array(0);
  /** Rows came from more than one source, or not in order of person. */
  isMixed = false;

  constructor(readonly fields: RowFields) {}

  clear(): void {
    this.count = 0;
    this.isMixed = false;
  }

  /** Makes room for so many more rows. */
  reserve(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.person.length) return;
    const length = Math.max(needed, this.person.length * 2, 4096);
    this.person = grown(this.person, new Uint32Array(length));
    this.us = grown(this.us, new Float64Array(length));
    this.steps = grown(this.steps, new Int32Array(length));
    if (this.fields.hasExcluded) this.excluded = grown(this.excluded, new Int32Array(length));
    if (this.fields.hasValue) this.value = grown(this.value, new Uint32Array(length));
  }

  /** The rows in order of person, with `isByValue` of value, and time. `first`: the code of the first person of the range. */
  slice(first: number, persons: number): Slice {
    const sorted = this.isMixed || this.fields.isByValue ? this.sorted(persons) : this;
    const { count, us, steps, excluded, value } = sorted;
    const actor = sorted.person;
    for (let row = 0; row < count; row++) actor[row]! += first;
    const { hasExcluded, hasValue } = this.fields;
    return {
      rowCount: count,
      actor,
      us,
      steps,
      excluded: hasExcluded ? excluded : null,
      value: hasValue ? value : null,
    };
  }

  private sorted(persons: number): Gathered {
    const begins = this.begins(persons);
    const order = new Uint32Array(this.count);
    const next = begins.slice();
    for (let row = 0; row < this.count; row++) order[next[this.person[row]!]!++] = row;
    for (let person = 0; person < persons; person++) this.sortPerson(order, begins[person]!, begins[person + 1]!);
    const sorted = new Gathered(this.fields);
    sorted.reserve(this.count);
    sorted.count = this.count;
    for (let i = 0; i < this.count; i++) {
      const row = order[i]!;
      sorted.person[i] = this.person[row]!;
      sorted.us[i] = this.us[row]!;
      sorted.steps[i] = this.steps[row]!;
      if (this.fields.hasExcluded) sorted.excluded[i] = this.excluded[row]!;
      if (this.fields.hasValue) sorted.value[i] = this.value[row]!;
    }
    return sorted;
  }

  /** Where the rows of each person begin, and the last end. */
  private begins(persons: number): Uint32Array {
    const begins = new Uint32Array(persons + 1);
    for (let row = 0; row < this.count; row++) begins[this.person[row]! + 1]!++;
    for (let person = 0; person < persons; person++) begins[person + 1]! += begins[person]!;
    return begins;
  }

  private sortPerson(order: Uint32Array, from: number, to: number): void {
    const { isByValue } = this.fields;
    const compare = isByValue ? this.byValueAndTime : this.byTime;
    for (let i = from + 1; i < to; i++) {
      if (compare(order[i - 1]!, order[i]!) <= 0) continue;
      order.subarray(from, to).sort(compare);
      return;
    }
  }

  private readonly byTime = (a: number, b: number): number => this.us[a]! - this.us[b]!;
  private readonly byValueAndTime = (a: number, b: number): number =>
    this.value[a]! - this.value[b]! || this.us[a]! - this.us[b]!;
}

function grown<T extends Uint32Array | Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
