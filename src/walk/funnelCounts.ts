import { NO_CODE } from "./actorWalk.ts";
import { FOUND_ROWS, type Found, type FoundColumn, OTHER_CODE } from "./found.ts";
import type { FunnelSink } from "./funnelFound.ts";
import { medianOf } from "./median.ts";
import { NumberList } from "./numberList.ts";
import type { FunnelCountsProgram } from "./program.ts";
import { addUp } from "./tally.ts";
import type { Part } from "./walker.ts";

/** Times to a step: of each attempt that did it the milliseconds since another step, and the code of its value. */
interface Gaps {
  step: number;
  since: number;
  ms: NumberList<Float64Array>;
  values: NumberList<Uint32Array>;
}

/** Counts the attempts that did each step, and finds the average and the median of the times between steps: by value, where there are values. */
export class FunnelCounts implements FunnelSink, Found {
  rowCount = 0;
  readonly found = this;
  readonly columns: readonly FoundColumn[];
  private readonly steps: number;
  /** How many did each step, one value after the other. */
  private readonly counts = new NumberList(new Uint32Array(64));
  /** Codes are below it. */
  private codes = 0;
  private readonly gaps: Gaps[];
  private readonly counted: Uint32Array[];
  private readonly averages: Float64Array[];
  private readonly medians: Float64Array[];
  private readonly shown = new Uint32Array(FOUND_ROWS);

  /** `otherCode`: of the value whose text is that of all others together; `NO_CODE` where no value is. */
  constructor(
    private readonly program: FunnelCountsProgram,
    private readonly otherCode: number,
    private readonly give: (found: Found) => void,
  ) {
    const { funnel, line, since, shown } = program;
    this.steps = funnel.steps;
    this.gaps = since.flatMap((from, step) =>
      from === null
        ? []
        : [
            {
              step,
              since: from,
              ms: new NumberList(new Float64Array(64)),
              values: new NumberList(new Uint32Array(64)),
            },
          ],
    );
    const columns = <T>(make: () => T): T[] => since.map(make);
    this.counted = columns(() => new Uint32Array(FOUND_ROWS));
    this.averages = columns(() => new Float64Array(FOUND_ROWS).fill(Number.NaN));
    this.medians = columns(() => new Float64Array(FOUND_ROWS).fill(Number.NaN));
    this.columns = [
      { name: "line", kind: "number", values: new Uint32Array(FOUND_ROWS).fill(line) },
      ...this.counted.map((values, i): FoundColumn => ({ name: `c${i}`, kind: "number", values })),
      ...this.averages.map((values, i): FoundColumn => ({ name: `average${i}`, kind: "measure", values })),
      ...this.medians.map((values, i): FoundColumn => ({ name: `median${i}`, kind: "measure", values })),
      ...(shown === null ? [] : [{ name: "shown", kind: "text" as const, values: this.shown, other: shown.other }]),
    ];
  }

  add(_actor: number, value: number, _bucket: number, _reached: number, times: Float64Array): void {
    const { steps, counts, gaps } = this;
    if (value >= this.codes) this.extend(value + 1);
    const own = counts.values;
    for (let step = 0, at = value * steps; step < steps; step++, at++) if (!Number.isNaN(times[step]!)) own[at]!++;
    for (let i = 0; i < gaps.length; i++) {
      const { step, since, ms, values } = gaps[i]!;
      const gapMs = (times[step]! - times[since]!) / 1000;
      // Without one of the two steps it is no number.
      if (!(gapMs > 0)) continue;
      ms.push(gapMs);
      values.push(value);
    }
  }

  /** Counts by value and step; then of each step with times these, and their values. */
  part(): Part {
    const { counts, codes, steps, gaps } = this;
    const lists = gaps.flatMap(({ ms, values }) => [ms.all, values.all]);
    return [counts.values.subarray(0, codes * steps), ...lists];
  }

  addPart([counts, ...lists]: Part): void {
    this.extend(counts!.length / this.steps);
    addUp(this.counts.values, counts!);
    for (const [i, { ms, values }] of this.gaps.entries()) {
      ms.append(lists[2 * i] as Float64Array);
      values.append(lists[2 * i + 1] as Uint32Array);
    }
  }

  end(): void {
    const { shown, groupOf } = this.groups();
    const counts = this.countsOf(groupOf, shown.length);
    const measured = this.gaps.map((gaps) => ({ step: gaps.step, ...byGroup(gaps, groupOf, shown.length) }));
    for (const [group, code] of shown.entries()) {
      const row = this.rowCount++;
      this.shown[row] = code;
      for (let step = 0; step < this.steps; step++) this.counted[step]![row] = counts[group * this.steps + step]!;
      for (const { step, ms, begins } of measured) {
        const own = ms.subarray(begins[group]!, begins[group + 1]!);
        this.averages[step]![row] = averageOf(own) / 1000;
        this.medians[step]![row] = medianOf(own) / 1000;
      }
      if (this.rowCount === FOUND_ROWS) this.giveAll();
    }
    this.giveAll();
  }

  /** Makes room for the counts of values below a code. */
  private extend(codes: number): void {
    this.codes = Math.max(this.codes, codes);
    this.counts.extend(this.codes * this.steps);
  }

  /** What is shown together, by code its place among them: the first values in rank, and all others as one; -1 where a value is not shown. */
  private groups(): { shown: number[]; groupOf: Int32Array } {
    const { codes, otherCode } = this;
    const { shown } = this.program;
    const groupOf = new Int32Array(codes).fill(-1);
    if (shown === null) return { shown: [0], groupOf: groupOf.fill(0) };
    const top = this.ranked(shown.most);
    for (const [group, code] of top.entries()) groupOf[code] = group;
    if (shown.other === null) return { shown: top, groupOf };
    const alike = otherCode === NO_CODE ? -1 : top.indexOf(otherCode);
    const rest = alike === -1 ? top.length : alike;
    let hasRest = false;
    for (let code = 0; code < codes; code++) {
      if (groupOf[code] !== -1 || this.countOf(code, 0) === 0) continue;
      groupOf[code] = rest;
      hasRest = true;
    }
    return { shown: hasRest && alike === -1 ? [...top, OTHER_CODE] : top, groupOf };
  }

  /** The first codes by how many did the last step, then the step before it, and so on; then by the order of values. */
  private ranked(most: number): number[] {
    const top: number[] = [];
    for (let code = 0; code < this.codes; code++) {
      if (this.countOf(code, 0) === 0 || (top.length === most && !this.isBefore(code, top.at(-1)!))) continue;
      const place = top.findIndex((other) => this.isBefore(code, other));
      top.splice(place === -1 ? top.length : place, 0, code);
      top.length = Math.min(top.length, most);
    }
    return top;
  }

  private isBefore(code: number, other: number): boolean {
    for (let step = this.steps - 1; step >= 0; step--) {
      const more = this.countOf(code, step) - this.countOf(other, step);
      if (more !== 0) return more > 0;
    }
    return code < other;
  }

  /** How many did each step, one group after the other. */
  private countsOf(groupOf: Int32Array, groups: number): Float64Array {
    const counts = new Float64Array(groups * this.steps);
    for (let code = 0; code < this.codes; code++) {
      const group = groupOf[code]!;
      for (let step = 0; step < this.steps && group >= 0; step++) {
        counts[group * this.steps + step]! += this.countOf(code, step);
      }
    }
    return counts;
  }

  private countOf(code: number, step: number): number {
    return this.counts.values[code * this.steps + step]!;
  }

  private giveAll(): void {
    if (this.rowCount > 0) this.give(this);
    this.rowCount = 0;
  }
}

/** The times of each group, one group after the other, and where each begins and the last ends. */
function byGroup({ ms, values }: Gaps, groupOf: Int32Array, groups: number): { ms: Float64Array; begins: Uint32Array } {
  const begins = new Uint32Array(groups + 1);
  for (let i = 0; i < ms.count; i++) {
    const group = groupOf[values.values[i]!]!;
    if (group >= 0) begins[group + 1]!++;
  }
  for (let group = 0; group < groups; group++) begins[group + 1]! += begins[group]!;
  const sorted = new Float64Array(begins[groups]!);
  const next = begins.slice();
  for (let i = 0; i < ms.count; i++) {
    const group = groupOf[values.values[i]!]!;
    if (group >= 0) sorted[next[group]!++] = ms.values[i]!;
  }
  return { ms: sorted, begins };
}

/** NaN for none. */
function averageOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}
