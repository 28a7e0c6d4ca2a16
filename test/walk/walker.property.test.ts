import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type FunnelProgram, NO_CODE, Walker } from "../../src/walk/mod.ts";
import { type Expected, naive, type Row } from "./naive.ts";

const SECOND_US = 1_000_000;

/** What the walker finds in rows that come in slices of so many. */
export function walk(rows: readonly Row[], program: FunnelProgram, sliceRows: number): Expected[] {
  const found: Expected[] = [];
  const walker = new Walker(program, ({ rowCount, actor, value, bucket, reached, times }) => {
    for (let i = 0; i < rowCount; i++) {
      found.push({
        actor: actor[i]!,
        value: value[i]!,
        bucket: bucket[i]!,
        reached: reached[i]!,
        times: times.map((column) => (Number.isNaN(column[i]!) ? null : column[i]!)),
      });
    }
  });
  const byValue = program.attribution === "all";
  const sorted = [...rows].sort((a, b) => a.actor - b.actor || (byValue ? a.value - b.value : 0) || a.us - b.us);
  for (let at = 0; at < sorted.length; at += sliceRows) {
    const slice = sorted.slice(at, at + sliceRows);
    walker.take({
      rowCount: slice.length,
      actor: Uint32Array.from(slice, (row) => row.actor),
      us: Float64Array.from(slice, (row) => row.us),
      steps: Int32Array.from(slice, (row) => row.steps),
      excluded: program.exclusions.length === 0 ? null : Int32Array.from(slice, (row) => row.excluded),
      value: program.attribution === null ? null : Uint32Array.from(slice, (row) => row.value),
    });
  }
  walker.end();
  return found.sort((a, b) => a.actor - b.actor || a.value - b.value || a.bucket - b.bucket);
}

export const world = fc
  .record({ steps: fc.integer({ min: 1, max: 4 }), maxMs: fc.constantFrom(2, 4, 8) })
  .chain(({ steps, maxMs }) =>
    fc.record({
      rows: fc.array(
        fc.record({
          actor: fc.constantFrom(1, 1, 1, 2),
          us: fc.integer({ min: 0, max: maxMs }).map((second) => second * SECOND_US),
          steps: fc.oneof(
            fc.integer({ min: 0, max: steps - 1 }).map((step) => 1 << step),
            fc.integer({ min: 0, max: 2 ** steps - 1 }),
          ),
          excluded: fc.constantFrom(0, 0, 0, 1, 2, 3),
          value: fc.constantFrom(NO_CODE, 1, 2),
        }),
        { maxLength: 8 },
      ),
      program: fc.record({
        steps: fc.constant(steps),
        order: fc.constantFrom("ordered", "strict", "unordered"),
        windowMs: fc.integer({ min: 0, max: maxMs }).map((second) => second * 1000),
        optional: fc.integer({ min: 0, max: 2 ** steps - 1 }).map((mask) => mask & ~1),
        exclusions: fc.constantFrom([], [], [{ from: 0, to: 1 }], [{ from: 1, to: 2 }, { from: 0, to: 3 }]),
        attribution: fc.constantFrom(null, "first", "last", "all", 0, 1),
        bucketStartsMs: fc.constantFrom(null, null, [0], [0, 2000], [1000, 2000, 3000]),
      }),
      sliceRows: fc.constantFrom(1, 2, 3, 100),
    }),
  )
  .map(({ rows, program, sliceRows }) => {
    const given: FunnelProgram = { kind: "funnel", ...program };
    const { steps } = given;
    // What is not asked of such funnels.
    if (given.order === "unordered") {
      given.optional = 0;
      if (typeof given.attribution === "number") given.attribution = 0;
    }
    if (typeof given.attribution === "number") given.attribution = Math.min(given.attribution, steps - 1);
    given.exclusions = given.exclusions.filter(({ to }) => to < steps);
    if (given.order === "unordered") given.exclusions = given.exclusions.map(() => ({ from: 0, to: steps - 1 }));
    if (given.exclusions.length > 0) given.optional = 0;
    if (given.order === "strict") given.exclusions = [];
    // An attempt that went on in spite of an exclusion takes those of other buckets with it (examples).
    if (given.order === "ordered" && given.exclusions.length > 0) given.bucketStartsMs = null;
    const mask = 2 ** given.exclusions.length - 1;
    return { rows: rows.map((row) => ({ ...row, excluded: row.excluded & mask })), program: given, sliceRows };
  });

/** Attempts with as many optional steps done may differ in which. */
const told = ({ optional }: FunnelProgram, found: Expected[]) =>
  optional === 0
    ? found
    : found.map(({ times, ...rest }) => ({
        ...rest,
        ends: [times[0], times[rest.reached - 1]],
        optional: times.filter((time, step) => time !== null && ((optional >> step) & 1) === 1).length,
      }));

describe("the walker", () => {
  test("finds what trying all ways finds", () => {
    fc.assert(
      fc.property(world, ({ rows, program, sliceRows }) => {
        expect(told(program, walk(rows, program, sliceRows))).toEqual(told(program, naive(rows, program)) as Expected[]);
      }),
      { numRuns: Number(process.env.WALKS ?? 10_000) },
    );
  }, 120_000);
});
