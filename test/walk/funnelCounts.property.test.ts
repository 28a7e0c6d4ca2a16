import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Found,
  type FunnelCountsProgram,
  type FunnelProgram,
  NOTHING_KNOWN,
  OTHER_CODE,
  walkerOf,
} from "../../src/walk/mod.ts";
import { type Expected, naive, type Row } from "./naive.ts";
import { sliced, walkInParts } from "./support.ts";

const STEPS = 3;
const OTHER = "Other";

/** A row of the answer: how many did each step, average and median seconds to each but the first, and the code of the value. */
interface Counted {
  counts: number[];
  averages: (number | null)[];
  medians: (number | null)[];
  shown: number;
}

const world = fc.record({
  rows: fc.array(
    fc.record({
      actor: fc.integer({ min: 1, max: 12 }),
      us: fc.integer({ min: 0, max: 40 }).map((half) => half * 500_000),
      steps: fc.integer({ min: 0, max: STEPS - 1 }).map((step) => 1 << step),
      excluded: fc.constant(0),
      value: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 60 },
  ),
  attribution: fc.constantFrom<FunnelProgram["attribution"]>(null, "first", "last", "all", 0, 1),
  order: fc.constantFrom<FunnelProgram["order"]>("ordered", "ordered", "strict"),
  most: fc.integer({ min: 1, max: 4 }),
  isOtherShown: fc.boolean(),
  /** Of the value that has the text of all others; 0 for none. */
  otherCode: fc.integer({ min: 0, max: 5 }),
  sliceRows: fc.constantFrom(1, 3, 100),
  parts: fc.integer({ min: 1, max: 3 }),
});

test("a funnel's walk counts what the attempts give", () => {
  fc.assert(
    fc.property(world, ({ rows, attribution, order, most, isOtherShown, otherCode, sliceRows, parts }) => {
      const funnel: FunnelProgram = {
        kind: "funnel",
        ...{ steps: STEPS, order, windowMs: 8000, optional: 0, exclusions: [], attribution, bucketStartsMs: null },
      };
      const shown = attribution === null ? null : { most, other: isOtherShown ? OTHER : null };
      const program: FunnelCountsProgram = { kind: "funnelCounts", funnel, line: 7, since: [null, 0, 1], shown };
      const found = naive(rows, funnel);
      expect(walked(rows, program, { otherCode, sliceRows, parts })).toEqual(counted(found, program, otherCode));
    }),
    { numRuns: 1000 },
  );
});

function walked(
  rows: readonly Row[],
  program: FunnelCountsProgram,
  { otherCode, sliceRows, parts }: { otherCode: number; sliceRows: number; parts: number },
): Counted[] {
  const all: Counted[] = [];
  const keep = ({ rowCount, columns }: Found) => {
    const told = (name: string, row: number): number =>
      columns.find((column) => column.name === name)!.values[row] as number;
    const measure = (name: string, row: number) => (Number.isNaN(told(name, row)) ? null : told(name, row));
    for (let row = 0; row < rowCount; row++) {
      expect(told("line", row)).toBe(program.line);
      all.push({
        counts: [0, 1, 2].map((step) => told(`c${step}`, row)),
        averages: [0, 1, 2].map((step) => measure(`average${step}`, row)),
        medians: [0, 1, 2].map((step) => measure(`median${step}`, row)),
        shown: program.shown === null ? 0 : told("shown", row),
      });
    }
  };
  const make = () => walkerOf(program, keep, { ...NOTHING_KNOWN, code: otherCode });
  walkInParts(rows, parts, make, (own) => sliced(own, program.funnel, sliceRows));
  return all.sort((a, b) => a.shown - b.shown);
}

function counted(found: readonly Expected[], { shown }: FunnelCountsProgram, otherCode: number): Counted[] {
  if (shown === null) return [numbersOf(found, 0)];
  const values = [...new Set(found.map(({ value }) => value))];
  const ranked = values
    .map((value) =>
      numbersOf(
        found.filter((one) => one.value === value),
        value,
      ),
    )
    .sort((a, b) => {
      const by = [2, 1, 0].map((step) => b.counts[step]! - a.counts[step]!).find((more) => more !== 0);
      return by ?? a.shown - b.shown;
    });
  const top = ranked.slice(0, shown.most).map((one) => one.shown);
  const shownAs = (value: number) => (top.includes(value) ? value : OTHER_CODE);
  const alike = (value: number) =>
    shown.other !== null && value === OTHER_CODE && top.includes(otherCode) && otherCode !== 0 ? otherCode : value;
  const told = found.map((one) => ({ ...one, value: alike(shownAs(one.value)) }));
  const kept = told.filter(({ value }) => shown.other !== null || value !== OTHER_CODE);
  return [...new Set(kept.map(({ value }) => value))]
    .map((value) =>
      numbersOf(
        kept.filter((one) => one.value === value),
        value,
      ),
    )
    .sort((a, b) => a.shown - b.shown);
}

function numbersOf(found: readonly Expected[], shown: number): Counted {
  const seconds = (step: number) =>
    found
      .flatMap(({ times }) => (step === 0 || times[step] == null ? [] : [(times[step]! - times[step - 1]!) / 1e6]))
      .filter((gap) => gap > 0)
      .sort((a, b) => a - b);
  const average = (gaps: number[]) =>
    gaps.length === 0 ? null : gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const median = (gaps: number[]) =>
    gaps.length === 0 ? null : (gaps[(gaps.length - 1) >> 1]! + gaps[gaps.length >> 1]!) / 2;
  return {
    counts: [0, 1, 2].map((step) => found.filter(({ times }) => times[step] != null).length),
    averages: [0, 1, 2].map((step) => average(seconds(step))),
    medians: [0, 1, 2].map((step) => median(seconds(step))),
    shown,
  };
}
