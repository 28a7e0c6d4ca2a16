import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type FunnelProgram, NO_CODE } from "../../src/walk/mod.ts";
import { type Expected, naive } from "./naive.ts";
import { walk } from "./support.ts";

const SECOND_US = 1_000_000;

const PAIRS: FunnelProgram["exclusions"][] = [
  [],
  [],
  [{ from: 0, to: 1 }],
  [
    { from: 1, to: 2 },
    { from: 0, to: 3 },
  ],
];
const VALUES: FunnelProgram["attribution"][] = [null, "first", "last", "all", 0, 1];
const BUCKETS: FunnelProgram["bucketStartsMs"][] = [null, null, [0], [0, 2000], [1000, 2000, 3000]];
const ORDERS: FunnelProgram["order"][] = ["ordered", "strict", "unordered"];

const world = fc
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
        order: fc.constantFrom(...ORDERS),
        windowMs: fc.integer({ min: 0, max: maxMs }).map((second) => second * 1000),
        optional: fc.integer({ min: 0, max: 2 ** steps - 1 }).map((mask) => mask & ~1),
        exclusions: fc.constantFrom(...PAIRS),
        attribution: fc.constantFrom(...VALUES),
        bucketStartsMs: fc.constantFrom(...BUCKETS),
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
      fc.property(world, fc.integer({ min: 1, max: 3 }), ({ rows, program, sliceRows }, parts) => {
        expect(told(program, walk(rows, program, sliceRows, parts))).toEqual(told(program, naive(rows, program)));
      }),
      { numRuns: Number(process.env.WALKS ?? 50_000) },
    );
  });
});
