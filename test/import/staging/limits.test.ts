import { describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { pauseMs, RequestLimit, type Rule, rangesOf, waitMs } from "../../../src/import/staging/mod.ts";
import { DAY_MS } from "../../../src/types/mod.ts";

describe("limits of an API", () => {
  test("are kept by waiting", () => {
    const rule = fc.record({ requests: fc.integer({ min: 1, max: 5 }), withinMs: fc.integer({ min: 1, max: 1_000 }) });
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), gaps, (rules, gaps) => {
        const made: number[] = [];
        let now = 1_000_000;
        for (const gap of gaps) {
          now += gap;
          now += waitMs(rules, made, now);
          made.push(now);
        }
        for (const one of rules) expect(most(made, one)).toBeLessThanOrEqual(one.requests);
      }),
    );
  });

  test("make nobody wait who is below them", () => {
    const rules = [{ requests: 3, withinMs: 1_000 }];
    expect(waitMs(rules, [], 5)).toBe(0);
    expect(waitMs(rules, [0, 1], 5)).toBe(0);
    expect(waitMs(rules, [0, 1, 2], 5)).toBe(995);
    expect(waitMs(rules, [0, 1, 2], 1_000)).toBe(0);
  });

  test("make nobody wait for a clock that was put back", async () => {
    const limit = new RequestLimit([{ requests: 1, withinMs: 1 }]);
    const pause = async (ms: number) => {
      expect(ms).toBeLessThanOrEqual(1);
      await Bun.sleep(ms);
    };
    setSystemTime(new Date(Date.now() + DAY_MS));
    const first = limit.take(pause);
    setSystemTime();
    await first;
    await limit.take(pause);
  });
});

/** The most requests within any span of the rule. */
function most(made: readonly number[], { withinMs }: Rule): number {
  const counts = made.map((from) => made.filter((at) => at >= from && at < from + withinMs).length);
  return Math.max(0, ...counts);
}

describe("pauses before another try", () => {
  const now = Date.parse("2024-01-31T10:00:00Z");
  test.each([
    [{ status: 429, retryAfter: "7" }, 1, 7_000],
    [{ status: 503, retryAfter: "Wed, 31 Jan 2024 10:01:00 GMT" }, 1, 60_000],
    [{ status: 503, retryAfter: "Wed, 31 Jan 2024 09:00:00 GMT" }, 1, 0],
    [{ status: 429, retryAfter: "99999999" }, 1, 3_600_000],
    [{ status: 429, retryAfter: "soon" }, 1, 60_000],
    [{ status: 429, retryAfter: null }, 3, 240_000],
    [{ status: 429, retryAfter: null }, 7, 900_000],
    [{ status: 500, retryAfter: null }, 1, 1_000],
    [{ status: null, retryAfter: null }, 4, 8_000],
  ])("%p after %p tries", (failure, tries, pause) => {
    expect(pauseMs(failure, tries, now)).toBe(pause);
  });
});

test("ranges of days", () => {
  expect(rangesOf("2024-02-28", "2024-03-01", 1).map(({ from }) => from)).toEqual([
    ...["2024-02-28", "2024-02-29", "2024-03-01"],
  ]);
  expect(rangesOf("2024-02-28", "2024-03-01", 2)).toEqual([
    { from: "2024-02-28", to: "2024-02-29" },
    { from: "2024-03-01", to: "2024-03-01" },
  ]);
  expect(rangesOf("2024-03-01", "2024-02-28", 1)).toEqual([]);
});
