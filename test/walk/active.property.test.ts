import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type ActiveProgram, type Found, NOTHING_KNOWN, walkerOf } from "../../src/walk/mod.ts";
import type { Row } from "./naive.ts";
import { type Given, naiveActive } from "./naiveActive.ts";
import { walkInParts } from "./support.ts";

const SECOND_US = 1_000_000;

const starts = fc.constantFrom<number[][]>(
  [0],
  [2000],
  [1000, 2000, 3000],
  [1000, 1000, 3000, 4000, 8000],
  [0, 2000, 2000],
  [],
);
const enough = fc.constantFrom(
  { least: 1, most: null },
  { least: 1, most: null },
  { least: 2, most: null },
  { least: 1, most: 1 },
  { least: 3, most: 2 },
);
const brackets = fc
  .array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 })
  .map((sizes) => sizes.map((size, i) => ({ from: sizes.slice(0, i).reduce((a, b) => a + b, 1), size })))
  .map((all) => all.map(({ from, size }) => ({ from, to: from + size - 1 })));
const gives = fc.oneof(
  fc.constantFrom<ActiveProgram["gives"]>(
    { kind: "counts", lines: [4, 2] },
    { kind: "counts", lines: [0, 1] },
    { kind: "statuses", made: { fromMs: null, toMs: 9_000 } },
    { kind: "statuses", made: { fromMs: 1_500, toMs: 3_000 } },
  ),
  fc.record({
    kind: fc.constant("returns" as const),
    columns: brackets,
    isCumulative: fc.boolean(),
    isFirst: fc.boolean(),
  }),
);
const program: fc.Arbitrary<ActiveProgram> = fc
  .record({ bucketStartsMs: starts, gives, enough: fc.tuple(enough, enough) })
  .map(({ enough: [first, second], ...rest }) => {
    // What is not asked: a return alone may need several events.
    const own = rest.gives.kind === "returns" ? [{ least: 1, most: null }, second] : [first, second];
    return { kind: "active", steps: 2, enough: own, ...rest };
  });
const rows = fc.array(
  fc.record({
    actor: fc.constantFrom(0, 1, 1, 2, 2 ** 32 - 1),
    us: fc.integer({ min: 0, max: 9 }).map((second) => second * SECOND_US),
    steps: fc.constantFrom(0, 1, 1, 2, 3),
    excluded: fc.constant(0),
    value: fc.constant(0),
  }),
  { maxLength: 30 },
);

/** Not of all actors. */
const madeMs = fc.tuple(
  ...[0, 1, 2].map(() => fc.constantFrom(Number.NaN, 0, 999, 1_000, 1_500, 2_000, 3_000, 3_001, 8_500, 9_500)),
);

const how = fc.record({ sliceRows: fc.constantFrom(1, 3, 100), parts: fc.integer({ min: 1, max: 3 }) });

function walk(
  given: readonly Row[],
  program: ActiveProgram,
  { sliceRows, madeMs, parts }: { sliceRows: number; madeMs: readonly number[]; parts: number },
): Given[] {
  const found: Given[] = [];
  const keep = ({ rowCount, columns }: Found) => {
    for (let i = 0; i < rowCount; i++) {
      found.push(Object.fromEntries(columns.map(({ name, values }) => [name, Number(values[i])])));
    }
  };
  const make = () => walkerOf(program, keep, { ...NOTHING_KNOWN, madeMs: Float64Array.from(madeMs) });
  const sorted = given.toSorted((a, b) => a.actor - b.actor || a.us - b.us);
  walkInParts(sorted, parts, make, (own) =>
    Array.from({ length: Math.ceil(own.length / sliceRows) }, (_, i) => {
      const slice = own.slice(i * sliceRows, (i + 1) * sliceRows);
      return {
        rowCount: slice.length,
        actor: Uint32Array.from(slice, (row) => row.actor),
        us: Float64Array.from(slice, (row) => row.us),
        steps: Int32Array.from(slice, (row) => row.steps),
        excluded: null,
        value: null,
      };
    }),
  );
  return found;
}

const inOrder = (given: Given[]): string[] => given.map((one) => JSON.stringify(one)).sort();

describe("a walk over intervals", () => {
  test("gives what looking at each interval gives", () => {
    fc.assert(
      fc.property(rows, program, how, madeMs, (rows, program, how, madeMs) => {
        expect(inOrder(walk(rows, program, { ...how, madeMs }))).toEqual(inOrder(naiveActive(rows, program, madeMs)));
      }),
      { numRuns: Number(process.env.WALKS ?? 20_000) },
    );
  });

  test("has all rows, however many there are", () => {
    const program: ActiveProgram = {
      kind: "active",
      steps: 1,
      bucketStartsMs: Array.from({ length: 5000 }, (_, second) => second * 1000),
      enough: [{ least: 1, most: null }],
      gives: { kind: "statuses", made: { fromMs: 0, toMs: 5_000_000 } },
    };
    const events = program.bucketStartsMs.map((ms) => ({ actor: 1, us: ms * 1000, steps: 1, excluded: 0, value: 0 }));
    expect(walk(events, program, { sliceRows: 1000, madeMs: [], parts: 1 })).toEqual(
      events.map((_, bucket) => ({
        ...{ bucket, new: 0, returning: bucket === 0 ? 0 : 1, resurrecting: bucket === 0 ? 1 : 0 },
        dormant: bucket === 4999 ? 1 : 0,
      })),
    );
  });
});
