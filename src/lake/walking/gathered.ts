import type { RowFields, Slice } from "../../walk/mod.ts";

/** The run of rows of other files than journeys. */
export const OTHERS = 0;

/**
 * Rows of the persons of one range, put together from several sources, each of which gives those of a person one after the
 * other; `persons` are counted from the beginning of the range. The arrays grow, and are used again for the next range.
 * Rows of one person and time have an order where they are of one run: of one person in a journey, or of the other files.
 */
export class Gathered {
  count = 0;
  person = new Uint32Array(0);
  us = new Float64Array(0);
  steps = new Int32Array(0);
  excluded = new Int32Array(0);
  value = new Uint32Array(0);
  private run = new Uint32Array(0);
  private runs = OTHERS;
  /** Rows came from more than one source, or not in order of person. */
  isMixed = false;
  /** The codes of persons whose order is not known, where the order at one time counts: their rows are left out. */
  readonly tied: number[] = [];

  constructor(readonly fields: RowFields) {}

  clear(): void {
    this.count = 0;
    this.runs = OTHERS;
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
    if (this.fields.isByUuid) this.run = grown(this.run, new Uint32Array(length));
  }

  nextRun(): number {
    return ++this.runs;
  }

  /** The rows from `from` on are of this run. */
  noteRun(from: number, run: number): void {
    if (!this.fields.isByUuid) return;
    for (let row = from; row < this.count; row++) this.run[row] = run;
  }

  /** The rows in order of person, with `isByValue` of value, and time. `first`: the code of the first person of the range. */
  slice(first: number, persons: number): Slice {
    const sorted = this.isMixed || this.fields.isByValue ? this.sorted(first, persons) : this;
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

  private sorted(first: number, persons: number): Gathered {
    const begins = this.begins(persons);
    const order = new Uint32Array(this.count);
    const next = begins.slice();
    for (let row = 0; row < this.count; row++) order[next[this.person[row]!]!++] = row;
    const sorted = new Gathered(this.fields);
    sorted.reserve(this.count);
    for (let person = 0; person < persons; person++) {
      const [from, to] = [begins[person]!, begins[person + 1]!];
      this.sortPerson(order, from, to);
      if (this.isTied(order, from, to)) this.tied.push(first + person);
      else for (let i = from; i < to; i++) sorted.take(this, order[i]!);
    }
    return sorted;
  }

  /** Takes a row of another, for which there is room. */
  private take(from: Gathered, row: number): void {
    const { fields } = this;
    const at = this.count++;
    this.person[at] = from.person[row]!;
    this.us[at] = from.us[row]!;
    this.steps[at] = from.steps[row]!;
    if (fields.hasExcluded) this.excluded[at] = from.excluded[row]!;
    if (fields.hasValue) this.value[at] = from.value[row]!;
  }

  /** Whether rows of one time are of several runs, and not all alike. */
  private isTied(order: Uint32Array, from: number, to: number): boolean {
    if (!this.fields.isByUuid) return false;
    const { us, run, value } = this;
    let [areOfRuns, areOfValues] = [false, false];
    for (let i = from + 1; i < to; i++) {
      const [before, row] = [order[i - 1]!, order[i]!];
      const isOneTime = us[before] === us[row];
      areOfRuns = isOneTime && (areOfRuns || run[before] !== run[row]);
      areOfValues = isOneTime && (areOfValues || value[before] !== value[row]);
      if (areOfRuns && areOfValues) return true;
    }
    return false;
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
