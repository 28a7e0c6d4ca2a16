import { describe, expect, test } from "bun:test";
import { type FunnelProgram, walkerOf } from "../../src/walk/mod.ts";
import { walk } from "./support.ts";

const PROGRAM: FunnelProgram = {
  kind: "funnel",
  steps: 3,
  order: "ordered",
  windowMs: 10_000,
  optional: 0,
  exclusions: [],
  attribution: null,
  bucketStartsMs: null,
};

/** `[second, steps, excluded, value]` of one actor. */
const found = (events: number[][], program: Partial<FunnelProgram> = {}) =>
  walk(
    events.map(([second = 0, steps = 0, excluded = 0, value = 0]) => ({
      actor: 1,
      us: second * 1_000_000,
      steps,
      excluded,
      value,
    })),
    { ...PROGRAM, ...program },
    100,
  ).map(({ value, bucket, reached, times }) => ({
    value,
    bucket,
    reached,
    seconds: times.map((us) => (us === null ? null : us / 1_000_000)),
  }));

describe("a funnel", () => {
  test("may end in the last moment of the window", () => {
    expect(
      found([
        [0, 1],
        [3, 2],
        [10, 4],
      ]),
    ).toMatchObject([{ reached: 3, seconds: [0, 3, 10] }]);
    expect(
      found([
        [0, 1],
        [3, 2],
        [10.000001, 4],
      ]),
    ).toMatchObject([{ reached: 2 }]);
  });

  test("tells the attempt that began last of those that came there first", () => {
    expect(
      found([
        [0, 1],
        [1, 1],
        [2, 2],
        [3, 4],
      ]),
    ).toMatchObject([{ seconds: [1, 2, 3] }]);
  });

  test("takes an event for one step only", () => {
    expect(found([[0, 7]])).toMatchObject([{ reached: 1 }]);
    expect(
      found([
        [0, 7],
        [0, 7],
        [1, 7],
      ]),
    ).toMatchObject([{ reached: 3, seconds: [0, 0, 1] }]);
  });

  test("finds the order of different events at one instant", () => {
    expect(
      found([
        [0, 3],
        [0, 1],
      ]),
    ).toMatchObject([{ reached: 2 }]);
    expect(
      found([
        [0, 4],
        [0, 1],
        [0, 2],
      ]),
    ).toMatchObject([{ reached: 3 }]);
  });

  test("is ended by other events where it is strict, but by none at the same instant", () => {
    const strict = { order: "strict" } as const;
    expect(
      found(
        [
          [0, 1],
          [1, 0],
          [2, 2],
        ],
        strict,
      ),
    ).toMatchObject([{ reached: 1 }]);
    expect(
      found(
        [
          [0, 1],
          [0, 0],
          [2, 2],
        ],
        strict,
      ),
    ).toMatchObject([{ reached: 2 }]);
  });

  test("loses the actor whose deepest attempt met an exclusion", () => {
    const exclusions = [{ from: 0, to: 2 }];
    expect(
      found(
        [
          [0, 1],
          [1, 0, 1],
          [2, 2],
        ],
        { exclusions },
      ),
    ).toEqual([]);
    expect(
      found(
        [
          [0, 1],
          [1, 0, 1],
          [2, 1],
        ],
        { exclusions },
      ),
    ).toMatchObject([{ reached: 1, seconds: [2, null, null] }]);
    expect(
      found(
        [
          [0, 1],
          [1, 2],
          [2, 4],
          [3, 0, 1],
        ],
        { exclusions },
      ),
    ).toMatchObject([{ reached: 3 }]);
  });

  test("does not begin a step anew behind an exclusion", () => {
    const program = { windowMs: 4000, steps: 4, exclusions: [{ from: 0, to: 3 }] };
    expect(
      found(
        [
          [0, 1],
          [0, 6],
          [1, 0, 1],
          [4, 2],
          [4, 4],
        ],
        program,
      ),
    ).toEqual([]);
  });

  test("keeps only what was completed, where an attempt of some bucket went on behind an exclusion", () => {
    const program = { steps: 2, exclusions: [{ from: 0, to: 1 }], bucketStartsMs: [0, 5000, 20_000] };
    const events = [
      [0, 1],
      [1, 2],
      [6, 1],
      [7, 0, 1],
      [8, 2],
      [20, 1],
    ];
    expect(found(events, program)).toMatchObject([{ bucket: 0, reached: 2 }]);
    expect(found(events.toSpliced(4, 1), program)).toMatchObject([
      { bucket: 0, reached: 2 },
      { bucket: 2, reached: 1 },
    ]);
  });

  test("passes optional steps, which count as reached", () => {
    expect(
      found(
        [
          [0, 1],
          [2, 4],
        ],
        { optional: 2 },
      ),
    ).toMatchObject([{ reached: 3, seconds: [0, null, 2] }]);
    expect(
      found(
        [
          [0, 1],
          [1, 2],
          [2, 1],
          [3, 4],
        ],
        { optional: 2 },
      ),
    ).toMatchObject([{ seconds: [0, 1, 3] }]);
  });

  test("counts for each value of the step that gives it", () => {
    const events = [
      [0, 1],
      [1, 2, 0, 7],
      [2, 2, 0, 8],
      [3, 4],
    ];
    expect(found(events, { attribution: 1 })).toMatchObject([
      { value: 7, reached: 3, seconds: [0, 1, 3] },
      { value: 8, reached: 3, seconds: [0, 2, 3] },
    ]);
    expect(found([[0, 1]], { attribution: 1 })).toEqual([]);
  });

  test("in any order begins with each row, and an exclusion ends what is not completed", () => {
    const unordered = { order: "unordered", exclusions: [{ from: 0, to: 2 }] } as const;
    expect(
      found(
        [
          [0, 4],
          [1, 1],
          [2, 2],
        ],
        { order: "unordered" },
      ),
    ).toMatchObject([{ reached: 3, seconds: [0, 1, 2] }]);
    expect(
      found(
        [
          [0, 4],
          [1, 1],
          [2, 0, 1],
        ],
        { ...unordered, exclusions: [{ from: 0, to: 2 }] },
      ),
    ).toEqual([]);
    expect(
      found(
        [
          [0, 4],
          [1, 0, 1],
          [2, 1],
        ],
        { ...unordered, exclusions: [{ from: 0, to: 2 }] },
      ),
    ).toMatchObject([{ reached: 1, seconds: [2, null, null] }]);
  });

  test("has 20 steps", () => {
    const events = Array.from({ length: 20 }, (_, step) => [step / 4, 1 << step]);
    for (const order of ["ordered", "strict", "unordered"] as const) {
      expect(found(events, { steps: 20, order })).toMatchObject([{ reached: 20 }]);
    }
    const same = Array.from({ length: 20 }, () => [1, 2 ** 20 - 1]);
    expect(found(same, { steps: 20 })).toMatchObject([{ reached: 20 }]);
  });
});

describe("an actor with a million events", () => {
  const EVENTS = 1_000_000;
  const CASES: (Partial<FunnelProgram> & { values?: number })[] = [
    {},
    { order: "strict" },
    { order: "unordered" },
    { attribution: 0 },
    { attribution: 1, values: 50 },
    { attribution: 1, values: 20_000 },
    { attribution: 0, order: "unordered", values: 20_000 },
    { attribution: "last", optional: 2 },
    { bucketStartsMs: Array.from({ length: 100 }, (_, i) => i * 10_000) },
  ];

  // The third step never comes: nothing ends early. All at one instant, or a millisecond apart.
  test.each(CASES.flatMap((each) => [0, 1000].map((stepUs) => ({ ...each, stepUs }))))(
    "is walked over (%#)",
    ({ values = 1, stepUs, ...program }) => {
      let told = 0;
      const walker = walkerOf({ ...PROGRAM, ...program }, ({ rowCount }) => {
        told += rowCount;
      });
      const length = 2048;
      const actor = new Uint32Array(length);
      for (let at = 0; at < EVENTS; at += length) {
        const us = Float64Array.from(actor, (_, i) => (at + i) * stepUs);
        walker.take({
          rowCount: length,
          actor,
          us,
          steps: Int32Array.from(actor, (_, i) => 1 << (i % 2)),
          excluded: null,
          value: program.attribution === undefined ? null : actor.map((_, i) => 1 + ((at + i) % values)),
        });
      }
      walker.end();
      expect(told).toBeGreaterThan(0);
    },
  );
});
