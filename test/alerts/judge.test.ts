import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compareWithPast } from "../../src/alerts/rule/anomaly.ts";
import { judge } from "../../src/alerts/rule/judge.ts";
import { dateFromOf, type TrendInterval } from "../../src/alerts/rule/range.ts";
import { linesOf, watchedTrend } from "../../src/manage/alerts/trend.ts";
import type { AlertRule } from "../../src/metadata/mod.ts";

const RULE: AlertRule = {
  condition: "absolute_value",
  threshold: { type: "absolute", lower: null, upper: null },
  detector: null,
  config: { seriesIndex: 0, checkOngoingInterval: false },
};
const line = (...values: number[]) => ({ label: "seen", values, total: values.reduce((a, b) => a + b, 0) });
const total = (value: number) => ({ label: "seen", values: null, total: value });
const rule = (wish: Partial<AlertRule>): AlertRule => ({ ...RULE, ...wish });
const bounds = (lower: number | null, upper: number | null, type: "absolute" | "percentage" = "absolute") => ({
  threshold: { type, lower, upper },
});
const breaches = (wish: Partial<AlertRule>, ...values: number[]) =>
  judge(rule(wish), [line(...values)], "day").breaches;

describe("an absolute threshold", () => {
  test("looks at the last complete interval; a bound itself is no breach", () => {
    expect(judge(rule(bounds(2, 5)), [line(100, 3, 100)], "day")).toEqual({ value: 3, breaches: [] });
    expect(breaches(bounds(3, 3), 0, 3, 0)).toEqual([]);
    expect(breaches(bounds(null, 5), 0, 6, 0)).toEqual([
      'The value of "seen" for the last day (6) is more than the upper threshold (5).',
    ]);
    expect(breaches(bounds(2, null), 9, 1, 9)).toEqual([
      'The value of "seen" for the last day (1) is less than the lower threshold (2).',
    ]);
  });

  test("looks at the present interval where it is asked to, for what is too much alone", () => {
    const config = { seriesIndex: 0, checkOngoingInterval: true };
    expect(breaches({ config, ...bounds(2, 5) }, 3, 3, 6)).toHaveLength(1);
    expect(breaches({ config, ...bounds(2, 5) }, 3, 3, 0)).toEqual([]);
    expect(breaches({ config, ...bounds(2, null) }, 3, 3, 0)).toEqual([]);
  });

  test("of a total is compared as it is, and has no changes", () => {
    expect(judge(rule(bounds(null, 5)), [total(6)], "day")).toMatchObject({ value: 6, breaches: [expect.any(String)] });
    const change = rule({ condition: "relative_increase", ...bounds(null, 5) });
    expect(() => judge(change, [total(6)], "day")).toThrow("totals");
  });

  test("tells of values of a breakdown as people call them", () => {
    const query = { kind: "TrendsQuery", breakdownFilter: { breakdown: "plan" }, series: [{ kind: "EventsNode" }] };
    const item = (label: string, value: string | string[]) => ({
      ...{ label, data: [1], count: 1, order: 0, days: [], labels: [], action: {} as never },
      breakdown_value: value,
    });
    const [none, other] = ["$$_posthog_breakdown_null_$$", "$$_posthog_breakdown_other_$$"];
    const items = [item("paid", "paid"), item("seen", "free"), item(none, none), item("seen", [other])];
    const lines = linesOf(items as never, watchedTrend({ query, filters: {} }), RULE);
    expect(lines.map(({ label }) => label)).toEqual(["paid", "seen - free", "None", "seen - Other"]);
  });

  test("of a breakdown finds each value", () => {
    const lines = ["a", "b", "c"].map((label, i) => ({ ...line(0, 2 * i, 0), label }));
    expect(judge(rule(bounds(null, 1)), lines, "day")).toMatchObject({ value: 2, breaches: { length: 2 } });
    expect(judge(rule(bounds(null, 9)), lines, "day")).toEqual({ value: null, breaches: [] });
  });
});

describe("a change", () => {
  test("is that of the last complete interval against the one before", () => {
    const increase = { condition: "relative_increase" } as const;
    expect(breaches({ ...increase, ...bounds(null, 4) }, 10, 15, 0)).toHaveLength(1);
    expect(breaches({ ...increase, ...bounds(null, 5) }, 10, 15, 0)).toEqual([]);
    const decrease = { condition: "relative_decrease" } as const;
    expect(breaches({ ...decrease, ...bounds(null, 4) }, 15, 10, 99)).toHaveLength(1);
    expect(breaches({ ...decrease, ...bounds(null, 4) }, 10, 15, 0)).toEqual([]);
  });

  test("in percent is a part of what was", () => {
    const increase = { condition: "relative_increase" } as const;
    const of = (...values: number[]) =>
      judge(rule({ ...increase, ...bounds(null, 0.5, "percentage") }), [line(...values)], "day");
    expect(of(10, 15, 0)).toEqual({ value: 0.5, breaches: [] });
    expect(of(10, 16, 0).breaches[0]).toContain("(60 %) is more than the upper threshold (50 %)");
    expect(of(0, 0, 0)).toEqual({ value: 0, breaches: [] });
    expect(of(0, 1, 0).breaches[0]).toContain("without bound");
  });
});

describe("an anomaly", () => {
  const detector = { weeks: 3, sensitivity: 3, direction: "both" as const };
  /** Four weeks and a day, of which only the days that count are not 7. */
  const days = (value: number, ...past: number[]) => {
    const values = new Array<number>(23).fill(7);
    values[21] = value;
    past.forEach((one, week) => {
      values[21 - 7 * (week + 1)] = one;
    });
    return values;
  };

  test("is far from the same day of the weeks before", () => {
    expect(breaches({ detector }, ...days(100, 100, 110, 90))).toEqual([]);
    expect(breaches({ detector }, ...days(300, 100, 110, 90))).toHaveLength(1);
    expect(breaches({ detector }, ...days(0, 100, 110, 90))).toHaveLength(1);
    expect(breaches({ detector: { ...detector, direction: "above" } }, ...days(0, 100, 110, 90))).toEqual([]);
    expect(breaches({ detector: { ...detector, direction: "below" } }, ...days(300, 100, 110, 90))).toEqual([]);
  });

  test("is none where weeks were equal and the difference is noise of counts", () => {
    expect(breaches({ detector }, ...days(129, 100, 100, 100))).toEqual([]);
    expect(breaches({ detector }, ...days(131, 100, 100, 100))).toHaveLength(1);
    expect(breaches({ detector }, ...days(1, 0, 0, 0))).toEqual([]);
  });

  test("is judged by a plain median", () => {
    const median = (values: number[]) => {
      const rank = (of: number) => values.toSorted((a, b) => a - b)[of]!;
      return (rank(Math.floor((values.length - 1) / 2)) + rank(Math.ceil((values.length - 1) / 2))) / 2;
    };
    const count = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(count, fc.array(count, { minLength: 1, maxLength: 12 }), (value, past) => {
        const middle = median(past);
        const usual = Math.max(1.4826 * median(past.map((one) => Math.abs(one - middle))), Math.sqrt(middle), 1);
        expect(compareWithPast(value, past, detector).isUnusual).toBe(Math.abs(value - middle) > 3 * usual);
      }),
      { numRuns: 300 },
    );
  });

  test("needs hours, days or weeks", () => {
    const needed = (interval: TrendInterval) => dateFromOf(rule({ detector }), interval);
    expect([needed("hour"), needed("day"), needed("week")]).toEqual(["-505h", "-22d", "-5w"]);
    expect(() => needed("month")).toThrow("cannot be compared");
  });
});
