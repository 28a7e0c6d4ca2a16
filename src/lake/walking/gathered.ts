import type { RowFields, Slice } from "../../walk/mod.ts";
import type { RangeSource } from "./rangeSource.ts";
import type { Range } from "./ranges.ts";
import { lengthFor, type PersonRows, RowColumns } from "./rowColumns.ts";
import { sortRows } from "./sortRows.ts";

/**
 * Puts the rows of the persons of one range together from several sources: where the rows of each person go is counted before, so that
 * each row is moved once. Rows of one person and time have an order where they are of one run.
 */
export class Gathered {
  private readonly rows: RowColumns;
  private actor = new Uint32Array(0);
  /** With `isByUuid`, by row: the number of its run among those of all sources. */
  private run = new Uint32Array(0);
  /** By person of the range: where the rows begin, and where the next one goes; whether the rows are not in order. */
  private begins = new Uint32Array(0);
  private next = new Uint32Array(0);
  private isUnsorted = new Uint8Array(0);
  /** The codes of persons whose order is not known, where the order at one time counts: their rows are left out. */
  readonly tied: number[] = [];

  constructor(private readonly fields: RowFields) {
    this.rows = new RowColumns(fields);
  }

  /** The rows of the sources in order of person, with `isByValue` of value, and time. They are lent until the next call. */
  slice(sources: readonly RangeSource[], range: Range): Slice {
    const filled = sources.filter(({ rows }) => rows.count > 0);
    const [only] = filled;
    if (filled.length === 1 && !only!.hasSeveralRuns && !this.fields.isByValue) {
      this.reserveActors(only!.rows.count);
      this.fillActors(only!.rows);
      return this.sliceOf(only!.rows);
    }
    this.makeRoom(filled, range);
    let runs = 0;
    for (const { rows } of filled) {
      this.take(rows, range.first, runs);
      runs += rows.runs;
    }
    this.sortPersons(range);
    return this.sliceOf(this.rows);
  }

  private sliceOf({ count, us, steps, excluded, value }: RowColumns): Slice {
    const { hasExcluded, hasValue } = this.fields;
    return {
      rowCount: count,
      actor: this.actor,
      us,
      steps,
      excluded: hasExcluded ? excluded : null,
      value: hasValue ? value : null,
    };
  }

  private reserveActors(rows: number): void {
    const length = lengthFor(rows, this.actor.length);
    if (length > this.actor.length) this.actor = new Uint32Array(length);
    if (this.fields.isByUuid && length > this.run.length) this.run = new Uint32Array(length);
  }

  private fillActors({ runs, codes, ends }: PersonRows): void {
    const { actor } = this;
    for (let run = 0, at = 0; run < runs; run++) {
      const code = codes[run]!;
      const end = ends[run]!;
      for (; at < end; at++) actor[at] = code;
    }
  }

  /** Finds where the rows of each person go. */
  private makeRoom(filled: readonly RangeSource[], { first, end }: Range): void {
    const persons = end - first;
    if (this.begins.length <= persons) {
      this.begins = new Uint32Array(persons + 1);
      this.next = new Uint32Array(persons + 1);
      this.isUnsorted = new Uint8Array(persons + 1);
    }
    const { begins, next, isUnsorted } = this;
    begins.fill(0);
    for (const { rows } of filled) {
      const { runs, codes, ends } = rows;
      for (let run = 0, from = 0; run < runs; run++) {
        begins[codes[run]! - first + 1]! += ends[run]! - from;
        from = ends[run]!;
      }
    }
    for (let person = 0; person < persons; person++) begins[person + 1]! += begins[person]!;
    next.set(begins);
    isUnsorted.fill(0);
    this.rows.count = 0;
    this.rows.reserve(begins[persons]!);
    this.rows.count = begins[persons]!;
    this.reserveActors(this.rows.count);
  }

  /** Moves the rows of a source to where they go. `number`: of its first run. */
  private take(from: PersonRows, first: number, number: number): void {
    const { actor, run: runOf, begins, next, isUnsorted } = this;
    const { us, steps, excluded, value } = this.rows;
    const { hasExcluded, hasValue, isByUuid } = this.fields;
    const { runs, codes, ends, us: fromUs, steps: fromSteps, excluded: fromExcluded, value: fromValue } = from;
    for (let run = 0, row = 0; run < runs; run++) {
      const code = codes[run]!;
      const end = ends[run]!;
      const person = code - first;
      let to = next[person]!;
      if (to > begins[person]!) {
        const gapUs = fromUs[row]! - us[to - 1]!;
        if (gapUs < 0 || (gapUs === 0 && isByUuid)) isUnsorted[person] = 1;
      }
      for (; row < end; row++, to++) {
        actor[to] = code;
        us[to] = fromUs[row]!;
        steps[to] = fromSteps[row]!;
        if (hasExcluded) excluded[to] = fromExcluded[row]!;
        if (hasValue) value[to] = fromValue[row]!;
        if (isByUuid) runOf[to] = number + run;
      }
      next[person] = to;
    }
  }

  private sortPersons({ first, end }: Range): void {
    const { isByValue, isByUuid } = this.fields;
    const { begins, isUnsorted, run, tied } = this;
    const tiedBefore = tied.length;
    for (let person = 0; person < end - first; person++) {
      if (isUnsorted[person] === 0 && !isByValue) continue;
      const from = begins[person]!;
      const to = begins[person + 1]!;
      sortRows(this.rows, isByUuid ? run : null, from, to);
      if (isByUuid && this.isTied(from, to)) tied.push(first + person);
    }
    if (tied.length > tiedBefore) this.leaveOut(first, tied.slice(tiedBefore));
  }

  /** Whether rows of one time are of several runs, and not all alike. */
  private isTied(from: number, to: number): boolean {
    const { run } = this;
    const { us, value } = this.rows;
    let [areOfRuns, areOfValues] = [false, false];
    for (let row = from + 1; row < to; row++) {
      const isOneTime = us[row - 1] === us[row];
      areOfRuns = isOneTime && (areOfRuns || run[row - 1] !== run[row]);
      areOfValues = isOneTime && (areOfValues || value[row - 1] !== value[row]);
      if (areOfRuns && areOfValues) return true;
    }
    return false;
  }

  /** Takes the rows of these persons away; codes ascend. */
  private leaveOut(first: number, codes: readonly number[]): void {
    const { begins, actor, rows } = this;
    const { us, steps, excluded, value } = rows;
    const length = rows.count;
    rows.count = begins[codes[0]! - first]!;
    for (const [i, code] of codes.entries()) {
      const from = begins[code - first + 1]!;
      const to = i + 1 < codes.length ? begins[codes[i + 1]! - first]! : length;
      for (const column of [actor, us, steps, excluded, value]) column.copyWithin(rows.count, from, to);
      rows.count += to - from;
    }
  }
}
